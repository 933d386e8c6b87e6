package ingest

import (
	"maps"
	"slices"
)

// The headers are those of the publications of 2026.
const (
	observatoryHeader = "id;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;" +
		"sta_nm_anfr;nat_id;sup_nm_haut;tpo_id;" +
		"adr_lb_lieu;adr_lb_add1;adr_lb_add2;adr_lb_add3;adr_nm_cp;com_cd_insee;coordonnees;coord;statut"
	supportHeader = "SUP_ID;STA_NM_ANFR;NAT_ID;COR_NB_DG_LAT;COR_NB_MN_LAT;COR_NB_SC_LAT;COR_CD_NS_LAT;COR_NB_DG_LON;" +
		"COR_NB_MN_LON;COR_NB_SC_LON;" +
		"COR_CD_EW_LON;SUP_NM_HAUT;TPO_ID;ADR_LB_LIEU;ADR_LB_ADD1;ADR_LB_ADD2;ADR_LB_ADD3;ADR_NM_CP;COM_CD_INSEE"
	arcepHeader = "code_op;nom_op;num_site;id_site_partage;id_station_anfr;x;y;latitude;longitude;nom_reg;nom_dep;" +
		"insee_dep;nom_com;insee_com;" +
		"site_2g;site_3g;site_4g;site_5g;mes_4g_trim;site_ZB;site_DCC;site_strategique;site_capa_240mbps;" +
		"date_ouverturecommerciale_5g;" +
		"site_5g_700_m_hz;site_5g_800_m_hz;site_5g_1800_m_hz;site_5g_2100_m_hz;site_5g_3500_m_hz"
)

// twoSupports is an observatoire of a support of SFR and one of ORANGE.
var twoSupports = table("observatoire_2026-08-27.csv", ";", observatoryHeader,
	"1;SFR;100;LTE 800;2016-01-02;003;03001;4G;2026-08-27T10:00:00;0032700001;23;20;72;LIEU;rue;;;03110;03001;46.5 , "+
		"3.1;46°30'00''N 3°06'00''E;En service",
	"2;ORANGE;101;LTE 700;2016-01-02;003;03001;4G;2026-08-27T10:00:00;0032700002;23;20;72;LIEU;rue;a;b;03110;03001;"+
		"46.6 , 3.1;46°36'00''N 3°06'00''E;En service")

// twoSupportsFacts is what the observatoire alone says. Labels are the service's own.
var twoSupportsFacts = facts{"sites": 2, "emissions": 2, "generations": 2, "statuses": 2, "dated": 2, "stations": 2,
	"stationCodes": 2, "sourceCodes": 2,
	"areas": 2, "communeCodes": 2, "postalCodes": 2, "places": 2, "streets": 2, "address2": 1, "address3": 1,
	"heights": 2,
	"natures": 2, "natureLabels": 2, "owners": 2, "ownerLabels": 2}

func columnsFrance() columnsKit {
	return columnsKit{markets: both, facts: twoSupportsFacts.set(facts{"communes": 2, "azimuths": 2, "antennaHeights": 2,
		"implemented": 1, "commissioned": 1,
		"sent": 1, "received": 1, "operatorIds": 1, "shared": 1, "leaders": 1, "enb": 1}),
		cases: append(franceTables, franceReferences...)}
}

// columnsAzimuths is an observatoire with the column that came in autumn 2026, in the form that the announcement states:
// degrees with "|" in between.
func columnsAzimuths() columnsKit {
	p := twoSupports
	p.columns = append(slices.Clone(p.columns), "list_azimut")
	p.rows = [][]string{append(slices.Clone(p.rows[0]), "0|120|240"), append(slices.Clone(p.rows[1]), "")}
	whole := franceTables[0].contract
	whole.read = append(slices.Clone(whole.read), "list_azimut")
	whole.guarded = maps.Clone(whole.guarded)
	maps.Copy(whole.guarded, map[string]string{"list_azimut": "azimuthLists", "nat_id": "natures", "sup_nm_haut": "heights",
		"tpo_id": "owners"})
	return columnsKit{markets: both, facts: twoSupportsFacts.set(facts{"azimuths": 1}),
		cases: []columnsCase{{p, whole}}}
}

var franceTables = []columnsCase{
	{twoSupports, contract{
		required: words("adm_lb_nom sup_id emr_lb_systeme generation sta_nm_anfr coordonnees statut"),
		filled:   words("coordonnees"), // coord says it too
		read: words("id emr_dt sta_nm_dpt code_insee date_maj nat_id sup_nm_haut tpo_id adr_lb_lieu adr_lb_add1 " +
			"adr_lb_add2 adr_lb_add3 " +
			"adr_nm_cp com_cd_insee coord"),
		facts: map[string]facts{
			"sup_nm_haut": {"heights": 1}, // SUP_SUPPORT has one of the supports
			"nat_id":      {"natures": 1, "natureLabels": 1}, "tpo_id": {"owners": 1, "ownerLabels": 1}},
		guarded: map[string]string{"emr_dt": "emissionDates", "adr_lb_lieu": "places", "adr_lb_add1": "addresses",
			"adr_lb_add2": "addresses2", "adr_lb_add3": "addresses3", "adr_nm_cp": "postalCodes"}}},
	{table("SUP_SUPPORT.txt", ";", supportHeader, "100;0032700001;11;46;30;0;N;3;6;0;E;99;21;;;;;03110;03001"),
		contract{
			required: words("SUP_ID STA_NM_ANFR COR_NB_DG_LAT COR_NB_MN_LAT COR_CD_EW_LON"),
			filled:   words("STA_NM_ANFR COR_NB_DG_LAT COR_NB_MN_LAT COR_CD_EW_LON"),
			// the table is known by them, and no more
			read: words("NAT_ID SUP_NM_HAUT TPO_ID")}},
	{table("SUP_STATION.txt", ";", "STA_NM_ANFR;ADM_ID;DEM_NM_COMSIS;DTE_IMPLANTATION;DTE_MODIF;DTE_EN_SERVICE",
		"0032700001;1;1;05/06/2012;;07/08/2013"), contract{
		required: words("STA_NM_ANFR DTE_IMPLANTATION DTE_EN_SERVICE"),
		filled:   words("DTE_IMPLANTATION DTE_EN_SERVICE"),
		read:     words("ADM_ID DEM_NM_COMSIS DTE_MODIF"),
		guarded:  map[string]string{"DTE_IMPLANTATION": "implementationDates", "DTE_EN_SERVICE": "commissioningDates"}}},
	{table("SUP_ANTENNE.txt", ";", "STA_NM_ANFR;AER_ID;TAE_ID;AER_NB_DIMENSION;AER_FG_RAYON;AER_NB_AZIMUT;"+
		"AER_NB_ALT_BAS;SUP_ID",
		"0032700001;1;21;2,1;D;90;24,5;100", "0032700002;2;21;2,1;D;120;24,5;101"), contract{
		required: words("STA_NM_ANFR AER_ID TAE_ID AER_NB_AZIMUT SUP_ID"), filled: words("AER_NB_AZIMUT"),
		read:    words("AER_NB_DIMENSION AER_FG_RAYON AER_NB_ALT_BAS"),
		guarded: map[string]string{"AER_NB_AZIMUT": "azimuths", "AER_NB_ALT_BAS": "antennaHeights"}}},
	{table("SUP_EMETTEUR.txt", ";", "EMR_ID;EMR_LB_SYSTEME;STA_NM_ANFR;AER_ID;EMR_DT_SERVICE",
		"3;LTE 800;0032700001;1;02/01/2016"), contract{
		required: words("EMR_ID EMR_LB_SYSTEME STA_NM_ANFR AER_ID"), read: words("EMR_DT_SERVICE")}},
	{table("SUP_BANDE.txt", ";", "STA_NM_ANFR;BAN_ID;EMR_ID;BAN_NB_F_DEB;BAN_NB_F_FIN;BAN_FG_UNITE",
		"0032700001;1;3;801;811;M", "0032700001;2;3;842;852;M"), contract{
		required: words("EMR_ID BAN_NB_F_DEB BAN_NB_F_FIN BAN_FG_UNITE"), read: words("STA_NM_ANFR BAN_ID")}},
	{table("2026_T2_sites_Metropole.csv", ";", arcepHeader,
		"20810;SFR;S1;ZPG_1;0032700001;1;2;46.5;3.1;R;D;03;C;03001;1;1;1;0;0;1;0;0;1;;0;0;0;0;0"), contract{
		required: words("code_op num_site id_station_anfr id_site_partage"), filled: words("code_op id_site_partage"),
		read: words("insee_com nom_op nom_com"), guarded: map[string]string{"id_site_partage": "sharedRadio"}}},
}

// What the reference tables say the service knows by itself, and the two tables of
// communes say the same.
var franceReferences = []columnsCase{
	{table("SUP_NATURE.txt", ";", "NAT_ID;NAT_LB_NOM", "23;Pylône autostable", "11;Mât béton"),
		contract{required: words("NAT_ID NAT_LB_NOM")}},
	{table("SUP_PROPRIETAIRE.txt", ";", "TPO_ID;TPO_LB", "72;HIVORY", "21;ORANGE"),
		contract{required: words("TPO_ID TPO_LB")}},
	{table("SUP_TYPE_ANTENNE.txt", ";", "TAE_ID;TAE_LB", "75;Antenne Ran-Sharing"),
		contract{required: words("TAE_ID TAE_LB")}},
	{table("SUP_EXPLOITANT.txt", ";", "ADM_ID;ADM_LB_NOM", "137;SFR"), contract{required: words("ADM_ID ADM_LB_NOM")}},
	{table("laposte_hexasmal.csv", ";", "Code_commune_INSEE;Nom_commune;Code_postal;Ligne_5;Libellé_d_acheminement;"+
		"coordonnees_gps",
		"03001;ABREST;03200;;ABREST;46.09,3.44"), contract{
		required: words("Code_commune_INSEE Nom_commune"), read: words("Code_postal Ligne_5 Libellé_d_acheminement")}},
	{table("v_commune_2026.csv", ",", "TYPECOM,COM,REG,DEP,CTCD,ARR,TNCC,NCC,NCCENR,LIBELLE,CAN,COMPARENT",
		"COM,03001,84,03,03D,031,1,ABREST,Abrest,Abrest,0399,"), contract{
		required: words("TYPECOM COM LIBELLE"), read: words("REG DEP NCC NCCENR")}},
	{table("crozon.csv", ",", "sup_id,leader", "100,SFR"), contract{required: words("sup_id leader")}},
	{headless(table("radio_ids.ntm", ";", "tech;MCC;MNC;flag;TAC;node;sup_id;lat;lon;address",
		"4G;999;99;0;0000;0;-1;0.0;0.0;sentinel", "4G;208;10;0;1;1009;100;46.5;3.1;X")), contract{
		required: words("tech MCC MNC node sup_id"), told: words("tech MCC lat lon"), served: 1}},
}

// headless is the table without its header.
func headless(p publication) publication {
	p.headless = true
	return p
}
