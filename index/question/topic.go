package question

// A Topic is what a question is about, if not about sites.
type Topic string

// The topics.
const (
	Changes Topic = "changes" // what is new
	Outages Topic = "outages"
)

// Values lists the topics.
func (Topic) Values() []string { return []string{string(Changes), string(Outages)} }

// outageWords are the words for what does not work, longer ones first.
var outageWords = phrases(`hors service, out of service, out of order, buiten dienst, ausser betrieb, en panne,
	panne, pannes, outage, outages, incident, incidents, coupure, coupures, indisponible, indisponibles, unavailable,
	storing, storingen, defect, defecte, uitval, storung, storungen, ausfall, ausfalle, gestort`)

// changeWords are the words for what is new. They are also the beginnings of names: Nouvelle-Aquitaine, New Westminster.
var changeWords = words(`new nouveau nouveaux nouvelle nouvelles nieuw nieuwe neu neue neuen neuer neues
	neuf neufs neuve neuves`)

// changeNouns are words for what is new that nothing else begins with.
var changeNouns = words(`changes changements changement nouveautes nouveaute modifications wijzigingen nieuws anderungen
	neuigkeiten newest`)

// periods are the days of phrases for a time, longer ones first.
var periods = []struct {
	phrase string
	days   int
}{
	{"ces 7 derniers jours", 7}, {"7 derniers jours", 7}, {"ces 30 derniers jours", 30},
	{"30 derniers jours", 30}, {"in the last 7 days", 7}, {"in the last 30 days", 30},
	{"last 7 days", 7}, {"last 30 days", 30}, {"past 7 days", 7},
	{"past 30 days", 30}, {"laatste 7 dagen", 7}, {"laatste 30 dagen", 30},
	{"letzten 7 tage", 7}, {"letzten 30 tage", 30}, {"letzten 7 tagen", 7},
	{"letzten 30 tagen", 30}, {"cette semaine", 7}, {"de la semaine", 7},
	{"this week", 7}, {"last week", 7}, {"semaine derniere", 7},
	{"deze week", 7}, {"vorige week", 7}, {"diese woche", 7},
	{"dieser woche", 7}, {"letzte woche", 7}, {"ce mois ci", 30},
	{"ce mois", 30}, {"du mois", 30}, {"mois dernier", 30},
	{"this month", 30}, {"last month", 30}, {"deze maand", 30},
	{"vorige maand", 30}, {"diesen monat", 30}, {"dieser monat", 30},
	{"letzten monat", 30}, {"7 jours", 7}, {"30 jours", 30},
	{"7 days", 7}, {"30 days", 30}, {"7 dagen", 7},
	{"30 dagen", 30}, {"7 tage", 7}, {"30 tage", 30},
}

// topic reads a topic or a period.
func (s *scan) topic() int {
	if s.within() {
		return 0
	}
	for _, phrase := range outageWords {
		if n := s.starts(phrase); n > 0 {
			s.q.Topic = Outages
			return n
		}
	}
	for _, p := range periods {
		if n := s.starts(p.phrase); n > 0 {
			if s.q.Days = p.days; s.q.Topic == "" {
				s.q.Topic = Changes
			}
			return n
		}
	}
	if changeNouns[s.words[0]] || changeWords[s.words[0]] && !s.beginsName() {
		if s.q.Topic == "" {
			s.q.Topic = Changes
		}
		return 1
	}
	return 0
}

// beginsName reports whether the words after the first one are those of a name.
func (s *scan) beginsName() bool {
	after := scan{words: s.words[1:], q: &Question{}}
	if len(after.words) == 0 || links[after.words[0]] {
		return false
	}
	for _, read := range []func() int{after.operator, after.technology, after.status, after.topic, after.noise} {
		if read() > 0 {
			return false
		}
	}
	return true
}

// hereWords are the phrases for the place of who asks.
var hereWords = phrases(`pres de chez moi, autour de chez moi, autour de moi, pres de moi, pres d ici, chez moi, near me, around me, around here,
	near here, nearby me, closest to me, nearest to me, bij mij in de buurt, in mijn buurt, bij mij, in meiner nahe, in meiner umgebung,
	um mich herum, bei mir, hier in der nahe`)

// here reads a phrase for the place of who asks.
func (s *scan) here() int {
	for _, phrase := range hereWords {
		if n := s.starts(phrase); n > 0 {
			s.q.Here = true
			return n
		}
	}
	return 0
}
