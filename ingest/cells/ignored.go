package cells

import "strings"

// ignored are the columns that the apps write and nobody reads for cells, by format. Package measure reads some of
// them.
var ignored = map[string][]string{
	"cells-towercollector": strings.Fields("lac short_cell_id rnc psc asu dbm ta accuracy speed bearing altitude rsrp rsrq " +
		"rssi rssnr cqi rscp csi_rsrp csi_rsrq csi_sinr ss_rsrp ss_rsrq ss_sinr cdma_dbm cdma_ecio evdo_dbm evdo_ecio " +
		"evdo_snr ec_no arfcn"),
	"cells-towercollector-upload": strings.Fields("lac tac psc signal ta speed"),
	"cells-neostumbler":           strings.Fields("speed lac signalStrength asu arfcn"),
	"cells-gmon": strings.Fields("LOCAL_CID LAC/TAC ARFCN BAND RSSI RSRP/RSCP RSRQ/ECIO SNR CQI TA DISTANCE DELTA_AZI SPEED " +
		"GPS_ACCURACY UL DL BANDWIDTH BANDWIDTHS CA NR_STATE NARFCN NR_BAND NR_PCI NR_SS_RSRP NR_SS_RSRQ NR_SS_SINR " +
		"NR_CSI_RSRP NR_CSI_RSRQ NR_CSI_SINR CLF_LABEL CLF_LOC CLF_DESC ROAMING"),
	"cells-networksurvey-lte": append(strings.Fields("cqi"), surveyed...),
	"cells-networksurvey-nr":  append(strings.Fields("csiRsrp csiRsrq csiSinr"), surveyed...),
}

// surveyed are columns of all tables of Network Survey.
var surveyed = strings.Fields("altitude speed accuracy recordNumber groupNumber tac ta provider signalStrength slot locationAge")
