package account

// SameName reports whether two texts are the same name of an account: without case, accents and
// hyphens.
func SameName(a, b string) bool { return nameKey(a) == nameKey(b) }
