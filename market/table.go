package market

import (
	"time"

	"relais/geo"
	"relais/site/spelling"
)

// Registers that come each week, or about each month, are older than this only when nobody updates.
const (
	weekly  = 21 * 24 * time.Hour
	monthly = 75 * 24 * time.Hour
)

// All is every market, in the order in which the API lists them.
var All = []*Market{
	{
		Code: FR, Country: "FR", Label: "France", Names: []string{"france"}, Availability: Available,
		Register: Register{Authority: "ANFR", Source: "Observatoire ANFR", Licence: "Licence Ouverte 2.0"}, FreshFor: weekly,
		Operators: []Operator{
			{"SFR", "SFR", []string{"20810"}, "#8f0a24", "#d8434a", "square"},
			{"BOUYGUES", "Bouygues Telecom", []string{"20820"}, "#1f5cb8", "#4fa3f7", "triangle"},
			{"ORANGE", "Orange", []string{"20801"}, "#c46a00", "#fb9440", "circle"},
			{"FREE", "Free Mobile", []string{"20815"}, "#e5488a", "#f2bcd4", "diamond"},
		},
		AreaType: "department", Areas: departments, Regions: regions,
		Box:      geo.Box{South: 41, West: -5.6, North: 51.5, East: 9.8},
		Zone:     "Europe/Paris",
		Statuses: anfrStatuses, LegacyCode: true, Spelling: spelling.French, Departments: true, Deployments: true,
		FeedZone: "Europe/Paris", Supplements: anfrSupplements,
		OutageLists: Register{Authority: "ARCEP", Source: "Sites mobiles indisponibles", Licence: "Licence Ouverte 2.0"},
		Coverage:    Register{Authority: "ARCEP", Source: "Couvertures théoriques", Licence: "Licence Ouverte 2.0"},
		Notice: "The forms of ARCEP's store of files, its days of unavailable sites and its coverage maps have not been checked against the " +
			"real service. Of its measurements, rows of a published sample of 2025 were seen, and not the files of the service.",
		Filters: []string{"operator", "department", "generation", "status", "bbox", "changedSince"},
	},
	{
		Code: DROM, Country: "FR", Label: "France (outre-mer)", Availability: Available,
		Register: Register{Authority: "ANFR", Source: "Observatoire ANFR", Licence: "Licence Ouverte 2.0"}, FreshFor: weekly,
		Operators: []Operator{
			{"ORANGE", "Orange", []string{"34001", "64700"}, "#c46a00", "#fb9440", "circle"},
			{"FREE_CARAIBES", "Free Caraïbes", []string{"34004"}, "#e846bd", "#d7e6ff", "diamond"},
			{"DIGICEL", "Digicel", []string{"34020"}, "#8c12a4", "#be4fb3", "triangle"},
			{"OUTREMER_TELECOM", "Outremer Telecom", []string{"34002"}, "#129277", "#b3b5dd", "pentagon"},
			{"SRR", "SRR", []string{"64710"}, "#8f0a24", "#e5302c", "square"},
			{"TELCO_OI", "Telco OI", []string{"64702", "64703"}, "#2c446d", "#6486ff", "hexagon"},
			{"ZEOP", "Zeop", []string{"64704"}, "#146f68", "#58f090", "cross"},
			{"MAORE_MOBILE", "Maoré Mobile", []string{"64701"}, "#ad4122", "#b08c93", "star"},
		},
		AreaType: "department", Areas: overseas,
		Box:      geo.Box{South: -22, West: -64, North: 19, East: 56.5},
		Statuses: anfrStatuses, LegacyCode: true, Spelling: spelling.French, Departments: true, Deployments: true,
		FeedZone: "Europe/Paris", Supplements: anfrSupplements,
		Coverage: Register{Authority: "ARCEP", Source: "Couvertures théoriques", Licence: "Licence Ouverte 2.0"},
		Notice: "The forms of ARCEP's store of files, its measurements overseas and its coverage maps have not been checked against the " +
			"real service.",
		Filters: []string{"operator", "department", "territory", "generation", "status", "bbox", "changedSince"},
	},
	{
		Code: CA, Country: "CA", Label: "Canada", Names: []string{"canada"}, Availability: Available,
		Register: Register{Authority: "ISED", Source: "ISED Spectrum Management System", Licence: "Open Government Licence – Canada"},
		FreshFor: monthly,
		Operators: []Operator{
			{"BELL", "Bell", []string{"302250", "302610", "302630", "302640", "302690", "302880"},
				"#2d4aa6", "#768add", "circle"},
			{"ROGERS", "Rogers",
				[]string{"302320", "302370", "302720", "302721", "302722", "302723", "302740", "302741", "302820"},
				"#a3000e", "#d8604c", "square"},
			{"TELUS", "Telus", []string{"302220", "302221", "302222", "302360", "302420", "302760", "302860"},
				"#2c9967", "#85e08c", "diamond"},
			{"VIDEOTRON_FREEDOM", "Vidéotron / Freedom", []string{"302490", "302491", "302500", "302510", "302520"},
				"#e05a0a", "#e59b00", "triangle"},
			{"REGIONAL", "Regional carriers", nil, "#72556d", "#cab2cb", "pentagon"},
		},
		AreaType: "province", Areas: provinces, Licences: true,
		FeedZone: "UTC",
		Box:      geo.Box{South: 41, West: -142, North: 84, East: -52},
		Filters:  []string{"operator", "province", "generation", "status", "bbox", "changedSince"},
	},
	{
		Code: BE, Country: "BE", Label: "Belgium", Availability: Partial,
		Names: []string{"belgique", "belgium", "belgie", "belgien"}, FreshFor: monthly,
		Register: Register{Authority: "Departement Omgeving", Source: "Vlaams register van zendantennes",
			Licence: "Modellicentie Gratis Hergebruik", Region: "Vlaanderen"},
		OtherRegisters: []Register{
			{Authority: "BIPT/IBPT", Source: "BIPT list of antenna sites",
				Licence: "Redistribution needs BIPT's permission"},
			{Authority: "Departement Omgeving", Source: "Vlaamse zendantennes (query service)",
				Licence: "None stated for the query service", Region: "Vlaanderen", Antennas: true, Adds: true},
			{Authority: "Bruxelles Environnement / Leefmilieu Brussel", Source: "Antennes 3D",
				Licence: "None stated", Region: "Bruxelles / Brussel", Antennas: true},
		},
		NeedPermission: []string{"BIPT list of antenna sites", "Vlaamse zendantennes (query service)", "Antennes 3D",
			"BIPT mobile coverage"},
		Coverage: Register{Authority: "BIPT/IBPT", Source: "BIPT mobile coverage"},
		Operators: []Operator{
			{"PROXIMUS_BE", "Proximus", []string{"20601"}, "#5c2d91", "#a983dd", "square"},
			{"CITYMESH_BE", "Citymesh", []string{"20603"}, "#2c86ad", "#6fd0c6", "triangle"},
			{"TELENET_BASE_BE", "Telenet / BASE", []string{"20605", "20620"}, "#8a825a", "#f7d05a", "diamond"},
			{"ORANGE_BE", "Orange Belgium", []string{"20610"}, "#e84a00", "#ff795c", "circle"},
		},
		Box:  geo.Box{South: 49.4, West: 2.4, North: 51.6, East: 6.5},
		Zone: "Europe/Brussels",
		Notice: "Wallonia is not in it, unless BIPT's list is: its public layer names neither operators nor " +
			"technologies. The forms of the Flemish query service and of Brussels' interface have not been " +
			"checked against the real services.",
		Filters: []string{"operator", "generation", "status", "bbox", "changedSince"},
	},
	{
		Code: CH, Country: "CH", Label: "Switzerland", Availability: Available,
		Names: []string{"suisse", "switzerland", "schweiz", "svizzera"}, FreshFor: monthly,
		Register: Register{Authority: "BAKOM/OFCOM", Source: "BAKOM/OFCOM Standorte Mobilfunkanlagen",
			Licence: "Open use, source: BAKOM/OFCOM"},
		Operators: []Operator{
			{"SWISSCOM_CH", "Swisscom", []string{"22801", "22811"}, "#1d47bd", "#5f95f5", "circle"},
			{"SUNRISE_CH", "Sunrise", []string{"22802", "22808", "22812", "22860"}, "#dd448b", "#e07ba3", "triangle"},
			{"SALT_CH", "Salt", []string{"22803"}, "#158a24", "#7fdba0", "square"},
		},
		Box:      geo.Box{South: 45.7, West: 5.8, North: 47.9, East: 10.6},
		Coverage: Register{Authority: "BAKOM/OFCOM", Source: "BAKOM/OFCOM Mobilfunknetz", Licence: "Open use, source: BAKOM/OFCOM"},
		Zone:     "Europe/Zurich",
		Filters:  []string{"operator", "generation", "status", "bbox", "changedSince"},
	},
	{
		Code: PT, Country: "PT", Label: "Portugal", Availability: Unavailable,
		Register: Register{Authority: "ANACOM", Source: "ANACOM"}, Filters: []string{"operator"},
		UnavailableReason: "No public, machine-readable and redistributable inventory of mobile sites is known for Portugal (ANACOM).",
	},
	{
		Code: ES, Country: "ES", Label: "Spain", Availability: Unavailable,
		Register: Register{Authority: "Ministerio para la Transformación Digital", Source: "Infoantenas"},
		Operators: []Operator{ // of its coverage maps
			{"MOVISTAR_ES", "Movistar", []string{"21405", "21407"}, "#1d47bd", "#5f95f5", "circle"},
			{"VODAFONE_ES", "Vodafone", []string{"21401", "21406"}, "#8f0a24", "#e5302c", "square"},
			{"ORANGE_ES", "Orange", []string{"21403"}, "#c46a00", "#fb9440", "triangle"},
			{"YOIGO_ES", "Yoigo", []string{"21404"}, "#b3208a", "#be4fb3", "diamond"},
		},
		Box:               geo.Box{South: 27.5, West: -18.3, North: 43.9, East: 4.5},
		Coverage:          Register{Authority: "Ministerio para la Transformación Digital", Source: "InfoCob"},
		NeedPermission:    []string{"InfoCob"},
		Filters:           []string{"operator"},
		UnavailableReason: "No public, machine-readable and redistributable inventory of mobile sites is known for Spain (Infoantenas is a map only).",
	},
	{
		Code: BA, Country: "BA", Label: "Bosnia and Herzegovina", Availability: Unavailable,
		Register: Register{Authority: "RAK", Source: "RAK"}, Filters: []string{"operator"},
		UnavailableReason: "No public, machine-readable and redistributable inventory of mobile sites is known for Bosnia and Herzegovina (RAK).",
	},
}

var anfrSupplements = Supplements{
	Antennas: "ANFR, données sur les installations radioélectriques de plus de 5 watts",
	Communes: "La Poste and INSEE, official codes of communes",
	SiteIDs:  "ARCEP, sites of the operators",
}

var anfrStatuses = []Status{
	{"Projet approuvé", "projet", Project},
	{"Techniquement opérationnel", "techop", Operational},
	{"En service", "en-service", InService},
}
