package view

import (
	"math"

	"relais/coverage"
	"relais/market"
)

// A CoverageRow is what the official coverage map of an operator and technology says of a place.
type CoverageRow struct {
	OperatorKey  *string       `json:"operatorKey" doc:"null where the source names no operator."`
	Operator     *string       `json:"operator" doc:"Its usual name."`
	Operators    *string       `json:"operators" doc:"three or some: how many operators are expected, where the source names none; else null."`
	Technology   string        `json:"technology" doc:"2G, 2G/3G, 3G, 4G or 5G."`
	Service      *string       `json:"service" doc:"voice or data, where the source tells them apart."`
	Level        *string       `json:"level" doc:"none, limited, good, very_good; covered where the source states no level. null where the source says nothing of the place."`
	SourceLevel  *string       `json:"sourceLevel" doc:"The source's own word."`
	Better       *BetterCell   `json:"better" doc:"The nearest place within 20 km with a better level; null for none."`
	NearestSite  *CoveringSite `json:"nearestSite" doc:"The operator's nearest site within 30 km that has the technology on air. It is not known which site serves the place."`
	Measured     *MeasuredNear `json:"measured" doc:"What phones measured within 100 m in the last year and in the newest campaigns; null for nothing."`
	Disagreement *string       `json:"disagreement" doc:"covered-but-no-service: most phones found no network where the map expects one. not-covered-but-measured: a phone found a signal where the map expects none. null if theory and measurement do not contradict each other."`
	Edition      string        `json:"edition" doc:"The day that the map is about, YYYY-MM-DD; that of its file where the source states none."`
	CellMeters   int           `json:"cellMeters" doc:"Side of the cells of the grid that the map was made to."`
	Source       string        `json:"source"`
	Authority    string        `json:"authority"`
	Licence      *string       `json:"licence" doc:"null where the source states none."`
	Synthetic    bool          `json:"synthetic" doc:"Made up for a demonstration."`
}

// A BetterCell is the nearest place with a better level.
type BetterCell struct {
	Operators      *string `json:"operators" doc:"three or some, where the source names no operator."`
	Level          string  `json:"level"`
	DistanceMeters int     `json:"distanceMeters"`
	AzimuthDegrees float64 `json:"azimuthDegrees" doc:"From true north, clockwise."`
}

// A CoveringSite is the nearest site of an operator that has a technology.
type CoveringSite struct {
	SiteKey        string  `json:"siteKey"`
	DistanceMeters int     `json:"distanceMeters"`
	AzimuthDegrees float64 `json:"azimuthDegrees" doc:"From true north, clockwise."`
}

// MeasuredNear is what phones measured around a place.
type MeasuredNear struct {
	Points    int      `json:"points" doc:"Coverage points of the operator in the technology."`
	NoService int      `json:"noService" doc:"Points of the operator where a phone found no network."`
	RSRP      *float64 `json:"medianRsrp" doc:"dBm; null when no point states it."`
	Newest    *string  `json:"newest" doc:"Time of the newest point, ISO 8601, UTC."`
	Synthetic bool     `json:"synthetic" doc:"Some were made up for a demonstration."`
}

// CoverageAtMeta is the meta of /coverage/at.
type CoverageAtMeta struct {
	Market      *market.Code `json:"market" doc:"That of the place; null if no map says anything of it."`
	Coordinates Coordinates  `json:"coordinates"`
	Place       *string      `json:"place" doc:"What was found for q or siteId."`
	Note        *string      `json:"note" doc:"Why the answer is empty; null when it is not."`
	Editions    []string     `json:"editions" doc:"Values for the parameter edition, the newest first: the days that maps of the market are about; of all markets where market is null."`
	Theory      string       `json:"theory" doc:"What the maps are, in a sentence."`
	DataVersion *string      `json:"dataVersion"`
}

// Theory says what coverage maps are.
const Theory = "Official coverage maps show where operators expect their networks to be received outdoors. They are computed, not measured."

// A CoverageShare is how much of an area has which level on the map of an operator and technology.
type CoverageShare struct {
	OperatorKey *string            `json:"operatorKey" doc:"null where the source names no operator."`
	Operator    *string            `json:"operator"`
	Technology  string             `json:"technology" doc:"2G, 2G/3G, 3G, 4G or 5G."`
	Service     *string            `json:"service" doc:"voice or data, where the source tells them apart."`
	Covered     *float64           `json:"coveredShare" doc:"Share of the area, or of the addresses, with any level except none, from 0 to 1; null where the source does not say where nothing is expected."`
	Levels      []LevelShare       `json:"levels" doc:"From the worst to the best."`
	AreaKm2     *float64           `json:"areaKm2" doc:"Land of the area that the map says something of; null for a commune."`
	Addresses   *int               `json:"addresses" doc:"Addresses of the commune that the map says something of; null for another area."`
	Change      *CoverageMapChange `json:"change" doc:"What the edition changed; null if this server has no earlier one."`
	Edition     string             `json:"edition" doc:"YYYY-MM-DD."`
	Source      string             `json:"source"`
	Authority   string             `json:"authority"`
	Licence     *string            `json:"licence" doc:"null where the source states none."`
	Synthetic   bool               `json:"synthetic" doc:"Made up for a demonstration."`
}

// A LevelShare is the share of a level.
type LevelShare struct {
	Level       string   `json:"level" doc:"none, limited, good, very_good, covered."`
	SourceLevel *string  `json:"sourceLevel"`
	Operators   *string  `json:"operators" doc:"three or some, where the source names no operator."`
	Km2         *float64 `json:"km2" doc:"null for a commune."`
	Addresses   *int     `json:"addresses" doc:"null except for a commune."`
	Share       *float64 `json:"share" doc:"From 0 to 1; null with coveredShare."`
}

// A CoverageMapChange compares an edition with the one before, in km², or in addresses of a commune.
type CoverageMapChange struct {
	Since  string  `json:"since" doc:"The edition before, YYYY-MM-DD."`
	Gained float64 `json:"gained" doc:"Covered now, and not before."`
	Lost   float64 `json:"lost" doc:"Covered before, and not now."`
	Better float64 `json:"better" doc:"Covered in both, with a better level now."`
	Worse  float64 `json:"worse" doc:"Covered in both, with a worse level now."`
}

// CoverageAreaMeta is the meta of /coverage/area.
type CoverageAreaMeta struct {
	Market      *market.Code `json:"market" doc:"null if no map has the area."`
	Area        *string      `json:"area" doc:"Code of the department; null for another area."`
	Commune     *string      `json:"commune" doc:"Name of the commune; null for another area."`
	CommuneCode *string      `json:"communeCode" doc:"Its INSEE code."`
	Addresses   *string      `json:"addressSource" doc:"The register whose addresses of the commune are counted, with its date."`
	BBox        *Box         `json:"bbox"`
	Outline     *string      `json:"outline" doc:"How exact the border of a department is; else null."`
	Note        *string      `json:"note" doc:"Why the answer is empty; null when it is not."`
	Editions    []string     `json:"editions" doc:"Values for the parameter edition, the newest first: the days that maps of the market are about; of all markets where market is null."`
	Theory      string       `json:"theory" doc:"What the maps are, in a sentence."`
	DataVersion *string      `json:"dataVersion"`
}

// NewCoverageShare returns the shares of an area, or of the addresses of a commune, as answers show them.
func NewCoverageShare(s *coverage.Share, addresses bool) CoverageShare {
	l, m := s.Layer, market.Get(s.Layer.Market)
	v := CoverageShare{Technology: l.Technology, Service: OrNull(&l.Service), Levels: make([]LevelShare, len(s.Levels)),
		Edition: l.Edition, Source: l.SourceName(), Authority: l.Publisher.Authority, Licence: OrNull(&l.Publisher.Licence),
		Synthetic: l.Synthetic}
	if at, ok := m.Operator(l.Operator); ok {
		v.OperatorKey, v.Operator = &m.Operators[at].Key, &m.Operators[at].Label
	}
	set := func(km2 **float64, n **int, amount float64) {
		if addresses {
			*n = new(int(amount))
		} else {
			*km2 = new(decimals(amount, 2))
		}
	}
	set(&v.AreaKm2, &v.Addresses, s.Total)
	covered := 0.0
	for i, level := range s.Levels {
		v.Levels[i] = LevelShare{Level: level.Word.Level, SourceLevel: OrNull(&level.Word.Source),
			Operators: OrNull(&level.Word.Operators)}
		if s.Whole {
			v.Levels[i].Share = new(decimals(level.Amount/s.Total, 5))
		}
		set(&v.Levels[i].Km2, &v.Levels[i].Addresses, level.Amount)
		if level.Word.Level != coverage.LevelNone {
			covered += level.Amount
		}
	}
	if s.Whole {
		v.Covered = new(decimals(covered/s.Total, 5))
	}
	if s.Before != nil {
		v.Change = &CoverageMapChange{s.Before.Edition, decimals(s.Gained, 2), decimals(s.Lost, 2), decimals(s.Better, 2),
			decimals(s.Worse, 2)}
	}
	return v
}

// decimals rounds a number.
func decimals(x float64, n int) float64 {
	scale := math.Pow10(n)
	return math.Round(x*scale) / scale
}
