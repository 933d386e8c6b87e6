package account

import (
	"slices"
	"strings"
)

// isPrivate reports whether a scheme may be a program's own: it is neither a registered protocol nor
// one that a browser or a system handles itself.
func isPrivate(scheme string) bool {
	return scheme != "" && !slices.Contains(permanentSchemes, scheme) && !slices.Contains(handledSchemes, scheme) &&
		!slices.ContainsFunc(handledPrefixes, func(p string) bool { return strings.HasPrefix(scheme, p) })
}

// permanentSchemes are those that IANA lists as permanent
// (https://www.iana.org/assignments/uri-schemes/uri-schemes.xhtml).
var permanentSchemes = strings.Fields(`
	aaa aaas about acap acct cap cid coap coap+tcp coap+ws coaps coaps+tcp coaps+ws crid data dav dict dns dtn
	example file ftp geo go gopher h323 http https iax icap im imap info ipn ipp ipps iris iris.beep iris.lwz
	iris.xpc iris.xpcs jabber ldap leaptofrogans mailto mid msrp msrps mt mtqp mupdate news nfs ni nih nntp
	opaquelocktoken pkcs11 pop pres reload rtsp rtsps rtspu service session shttp sieve sip sips sms snmp
	soap.beep soap.beeps stun stuns tag tel telnet tftp thismessage tip tn3270 turn turns tv urn vemmi vnc ws
	wss xcon xcon-userid xmlrpc.beep xmlrpc.beeps xmpp z39.50r z39.50s`)

// These schemes run code, read files or open programs of the system.
var (
	handledSchemes  = []string{"javascript", "vbscript", "blob", "view-source", "filesystem", "intent", "jar", "search-ms"}
	handledPrefixes = []string{"ms-", "chrome", "moz-", "itms"}
)
