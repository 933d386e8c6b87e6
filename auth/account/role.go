package account

import (
	"fmt"
	"slices"
	"strings"
)

// A Role is the right of a person on the pages of a server. Each role includes the
// roles before it. Programs that act for a person have no role.
type Role string

// The roles: a member has an account, a moderator decides about what others sent, and an admin also
// about accounts.
const (
	Member    Role = "member"
	Moderator Role = "moderator"
	Admin     Role = "admin"
)

// Roles lists the roles, the least first.
var Roles = []Role{Member, Moderator, Admin}

// ParseRole reads a role.
func ParseRole(text string) (Role, error) {
	if i := slices.Index(Roles, Role(text)); i >= 0 {
		return Roles[i], nil
	}
	names := make([]string, len(Roles))
	for i, r := range Roles {
		names[i] = string(r)
	}
	return "", fmt.Errorf("%.50q is not a role: want one of %s", text, strings.Join(names, ", "))
}

// May reports whether the role includes another one. No role includes an unknown one.
func (r Role) May(needed Role) bool {
	i := slices.Index(Roles, needed)
	return i >= 0 && slices.Index(Roles, r) >= i
}

// role returns the role of an account, "" for an API client. Records of before there were roles are
// those of members.
func (r *record) role() Role {
	if r.Role == "" && r.Client == "" {
		return Member
	}
	return r.Role
}
