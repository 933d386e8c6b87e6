package spelling

import (
	"strings"
	"sync"

	"relais/internal/fold"
)

// vowels are letters. A word that has none of them is an abbreviation.
const vowels = "AEIOUYÀÂÄÉÈÊËÎÏÔÖÛÙÜŒÆ"

// particles stand in the middle of names, in French and Dutch.
var particles = set("AU AUX DE DES DU EN ET LA LE LES LÈS OU PAR SOUS SUR BIS TER QUATER VAN DER DEN")

// acronyms have vowels, and stay in capitals.
var acronyms = set("ASF APRR CAF CCI CEA CES CHU EDF EHPAD ENEDIS ERDF FM GDF IGH INRA INRAE INSA IUT OPAC PAE RATP RER " +
	"RTE SANEF SFR TOTEM UFR ZA ZAC ZAD ZAE ZI ZUP USA UCL ULB")

// saints are the ways to shorten a word in names of towns.
var saints = map[string]string{"ST": "SAINT", "STE": "SAINTE"}

// expanded are abbreviations of French addresses, which stand before the name of a street.
var expanded = table("AV=avenue AVE=avenue BD=boulevard BLD=boulevard BVD=boulevard PL=place RTE=route CHE=chemin " +
	"CHEM=chemin ALL=allée IMP=impasse SQ=square FG=faubourg FBG=faubourg ST=Saint STE=Sainte DR=Docteur MGR=Monseigneur")

// Long returns the word of French addresses that a folded word is short for, folded, or else the word.
func Long(word string) string {
	capitals := fold.UpperASCII(word)
	for _, of := range []map[string]string{expanded, saints} {
		if long := of[capitals]; long != "" {
			return fold.String(long)
		}
	}
	return word
}

// HasAbbreviation reports whether Long returns a folded word for others.
func HasAbbreviation(word string) bool { return foldedLong()[word] }

var foldedLong = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, of := range []map[string]string{expanded, saints} {
		for _, word := range of {
			all[fold.String(word)] = true
		}
	}
	return all
})

// IsType reports whether a folded word is a kind of street.
func IsType(word string) bool { return foldedTypes()[word] }

var foldedTypes = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for word := range types {
		all[fold.String(word)] = true
	}
	return all
})

// types are the kinds of streets. They are written small after a number.
var types = set("allée allées avenue boulevard chaussée chemin clos cours faubourg impasse montée passage place quai route " +
	"rue ruelle sente sentier square traverse venelle voie")

// accented are words of French addresses that are another word, or none, without their accents.
var accented = table("ALLEE=allée ALLEES=allées CHAUSSEE=chaussée MONTEE=montée EGLISE=église EGLISES=églises " +
	"REPUBLIQUE=république GENERAL=général MARECHAL=maréchal CHATEAU=château CHATEAUX=châteaux HOPITAL=hôpital " +
	"RESIDENCE=résidence ECOLE=école ECOLES=écoles LIBERTE=liberté LIBERATION=libération EGALITE=égalité VALLEE=vallée " +
	"FORET=forêt METRO=métro TELEVISION=télévision TELEDIFFUSION=télédiffusion BATIMENT=bâtiment HOTEL=hôtel CHENE=chêne " +
	"CHENES=chênes CITE=cité UNIVERSITE=université LYCEE=lycée COLLEGE=collège " +
	"CATHEDRALE=cathédrale MEDIATHEQUE=médiathèque RESERVOIR=réservoir ETANG=étang ETANGS=étangs ILE=île ILES=îles " +
	"PRE=pré CLOITRE=cloître THEATRE=théâtre CIMETIERE=cimetière RIVIERE=rivière " +
	"CARRIERE=carrière CARRIERES=carrières BRUYERE=bruyère BRUYERES=bruyères PEPINIERE=pépinière EVECHE=évêché " +
	"PRESIDENT=président DEPARTEMENTALE=départementale PYLONE=pylône ECLUSE=écluse AERODROME=aérodrome " +
	"AEROPORT=aéroport PERIPHERIQUE=périphérique ZENITH=zénith ABBE=abbé ETAGE=étage ECHANGEUR=échangeur")

func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

func table(pairs string) map[string]string {
	all := map[string]string{}
	for pair := range strings.FieldsSeq(pairs) {
		word, long, _ := strings.Cut(pair, "=")
		all[word] = long
	}
	return all
}
