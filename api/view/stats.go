package view

import (
	"relais/index"
	"relais/market"
)

// A Department is a row of the department statistics: numbers of sites.
type Department struct {
	Code      string `json:"code"`
	Name      string `json:"name"`
	Total     int    `json:"total" doc:"Sites with an emission of the operator."`
	FiveG3500 int    `json:"fiveG3500" doc:"With a 5G emission at 3500 MHz that is not a project."`
	FiveG2100 int    `json:"fiveG2100" doc:"With a 5G emission at 2100 MHz that is not a project."`
	FiveG     int    `json:"fiveG" doc:"With a 5G emission that is not a project."`
	FourG     int    `json:"fourG" doc:"With a 4G emission that is not a project."`
	ThreeG    int    `json:"threeG" doc:"With a 3G emission that is not a project."`
	EnService int    `json:"enService" doc:"Whose most advanced status is En service."`
	TechOp    int    `json:"techOp" doc:"Whose most advanced status is Techniquement opérationnel."`
	Projet    int    `json:"projet" doc:"Which are only projects."`
}

// NewDepartment returns the row of a department.
func NewDepartment(a market.Area, c index.Counts) Department {
	return Department{a.Code, a.Label, c.Total, c.FiveG3500, c.FiveG2100, c.FiveG, c.FourG, c.ThreeG, c.InService, c.Operational,
		c.Projects}
}

// StatsMeta is the meta of /stats/departments.
type StatsMeta struct {
	Total            int     `json:"total" doc:"Sites of all departments."`
	TotalDepartments int     `json:"totalDepartments"`
	Operator         string  `json:"operator"`
	DataVersion      *string `json:"dataVersion" doc:"Names the data: pages with the same one belong together. null without data."`
}
