package oauth

// texts are the texts of the page in one language.
type texts struct {
	Lang, OtherLang, OtherName string

	Title, Asks, SaysItself, Afterwards, LocalName, AppName string
	May, MayRead, MayWrite, SignIn, Name, Password          string
	Allow, Deny, Never                                      string
	AllowedTitle, Allowed, RefusedTitle, Refused            string
	TroubleTitle, GoBack                                    string
	WrongLogin, Incomplete, Limited, Busy, ReadOnly, Failed string
	Away, Full                                              string
	BadRequest, UnknownClient, WrongRedirect                string
	Foreign, Stale                                          string
}

var english = texts{
	Lang: "en", OtherLang: "fr", OtherName: "Français",
	Title: "Sign in", Asks: "asks to act in your name at", SaysItself: "That name is what the program says of itself.",
	Afterwards: "If you allow it, you are sent to", LocalName: "this device", AppName: "an app on this device",
	May: "It may then", MayRead: "use the tools, and see what you submitted",
	MayWrite: "submit outage reports, speedtests, validations and bugs in your name",
	SignIn:   "Sign in to allow it", Name: "Name", Password: "Password", Allow: "Allow", Deny: "Refuse",
	Never:        "Your password stays here: the program does not get it.",
	AllowedTitle: "Allowed", Allowed: "You are sent back to the program. If nothing happens, use the link.",
	RefusedTitle: "Refused", Refused: "The program may not act in your name. You can close this page, or tell the program.",
	TroubleTitle: "This does not work", GoBack: "Go back to",
	WrongLogin:    "Name or password is wrong.",
	Incomplete:    "Or it is one of the accounts that this server cannot read at the moment.",
	Limited:       "Too many attempts. Wait a quarter of an hour and try again.",
	Busy:          "Many people are signing in. Try again in a moment.",
	ReadOnly:      "Nobody can sign in here at the moment: this server's folder cannot be written to.",
	Full:          "The disk of this server is full: it answers, but stores nothing until space is free. Try again later.",
	Away:          "Nobody can sign in here at the moment: this server cannot reach the database that it shares. Try again in a minute.",
	Failed:        "That did not work. Begin again in the program.",
	BadRequest:    "The program asked in a way that this server does not understand.",
	UnknownClient: "This server does not know the program that sent you here, or has forgotten it. Remove this server from the program and add it again.",
	WrongRedirect: "The program wants you sent to an address that it has not registered. Do not go on.",
	Foreign:       "This form was not sent from this server's own page. Begin again in the program.",
	Stale:         "This page was too old, or opened twice. Nothing was done: check it and sign in again.",
}

var french = texts{
	Lang: "fr", OtherLang: "en", OtherName: "English",
	Title: "Connexion", Asks: "demande à agir en votre nom sur",
	SaysItself: "Ce nom est celui que le programme se donne.",
	Afterwards: "Si vous acceptez, vous serez envoyé vers", LocalName: "cet appareil",
	AppName: "une application de cet appareil",
	May:     "Il pourra alors", MayRead: "utiliser les outils et voir ce que vous avez envoyé",
	MayWrite: "envoyer en votre nom signalements de panne, tests de débit, validations et bogues",
	SignIn:   "Connectez-vous pour accepter", Name: "Nom", Password: "Mot de passe", Allow: "Accepter", Deny: "Refuser",
	Never:        "Votre mot de passe reste ici : le programme ne le reçoit pas.",
	AllowedTitle: "Accepté", Allowed: "Vous êtes renvoyé vers le programme. Si rien ne se passe, utilisez le lien.",
	RefusedTitle: "Refusé",
	Refused:      "Le programme ne peut pas agir en votre nom. Vous pouvez fermer cette page, ou prévenir le programme.",
	TroubleTitle: "Cela ne fonctionne pas", GoBack: "Retourner à",
	WrongLogin:    "Le nom ou le mot de passe est faux.",
	Incomplete:    "Ou bien ce compte est de ceux que ce serveur ne peut pas lire pour le moment.",
	Limited:       "Trop d’essais. Attendez un quart d’heure et réessayez.",
	Busy:          "Beaucoup de personnes se connectent. Réessayez dans un instant.",
	ReadOnly:      "Personne ne peut se connecter ici pour le moment : le dossier de ce serveur est en lecture seule.",
	Full:          "Le disque de ce serveur est plein : il répond, mais n’enregistre rien tant que la place manque. Réessayez plus tard.",
	Away:          "Personne ne peut se connecter ici pour le moment : ce serveur ne peut pas joindre la base de données qu’il partage. Réessayez dans une minute.",
	Failed:        "Cela n’a pas fonctionné. Recommencez depuis le programme.",
	BadRequest:    "Le programme a fait une demande que ce serveur ne comprend pas.",
	UnknownClient: "Ce serveur ne connaît pas le programme qui vous envoie, ou l’a oublié. Retirez ce serveur du programme et ajoutez-le de nouveau.",
	WrongRedirect: "Le programme veut vous envoyer à une adresse qu’il n’a pas enregistrée. N’allez pas plus loin.",
	Foreign:       "Ce formulaire ne vient pas de la page de ce serveur. Recommencez depuis le programme.",
	Stale:         "Cette page était trop ancienne, ou ouverte deux fois. Rien n’a été fait : vérifiez et connectez-vous de nouveau.",
}
