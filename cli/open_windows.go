package cli

// opener is the program that shows an address in the person's browser, with its first arguments.
var opener = []string{"rundll32", "url.dll,FileProtocolHandler"}
