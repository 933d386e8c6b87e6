package measure

import "strings"

// lteFacts is what a row of LTE says that states all that an app can.
var lteFacts = facts{"measures": 1, "times": 1, "mcc": 1, "mnc": 1, "operators": 1, "names": 1, "technologies": 1,
	"enb": 1, "cells": 1, "pci": 1}

// networkSurvey is a log of Network Survey, of a cell that serves and one that does not.
func networkSurvey(cell, number, radio, levels string, more map[string]string) columnsCase {
	row := stated("deviceTime=2026-03-05T10:03:00.603261-04:00|latitude=LAT|longitude=4.25|mcc=208|mnc=99|pci=36|" +
		"servingCell=true|provider=Somebody|signalStrength=-61.0|deviceSerialNumber=1234abc|missionId=NS 1|" +
		cell + "=" + number)[0]
	otherwise := map[string]facts{"pci": {"pci": 0}, "signalStrength": {"signals": 0}, "provider": {"names": 0}}
	f := lteFacts.with(facts{"operators": 0, "rsrp": 1, "rsrq": 1, "snr": 1, "signals": 1})
	for k, v := range more {
		row[k] = v
	}
	for i, column := range [3]string{"rsrp", "rsrq", "snr"} {
		otherwise[strings.Fields(levels)[i]] = facts{column: 0}
	}
	neighbour := map[string]string{}
	for k, v := range row {
		neighbour[k] = v
	}
	neighbour["servingCell"] = "false"
	return columnsCase{name: "networksurvey " + cell, comma: ",",
		before: "# Created by Network Survey version=1.43-cdr\n# CSV Version=0.4.0\n",
		header: "deviceTime,latitude,longitude,altitude,speed,accuracy,missionId,recordNumber,groupNumber,mcc,mnc,tac," +
			cell + "," + radio + ",ta,servingCell,provider,signalStrength,slot,deviceSerialNumber,locationAge",
		rows: []map[string]string{row, neighbour}, kind: Coverage, served: 1,
		required: "deviceTime latitude longitude mcc mnc servingCell " + cell,
		read:     "pci provider signalStrength " + levels,
		facts:    f, otherwise: otherwise}
}

var columnsCases = []columnsCase{
	{name: "speedtests", comma: ",", kind: Speedtest, served: 2,
		header: "id,timestamp,lat,lng,download_mbps,average_mbps,max_mbps,upload_mbps,ping_ms,mcc,mnc,network_type," +
			"connection_type,device_type,enb,gnb,cell_id,pci,rsrp,rsrq,snr",
		rows: stated(
			"id=a|timestamp=2026-03-05T10:03:00Z|lat=LAT|lng=4.25|download_mbps=100|average_mbps=80|max_mbps=110|"+
				"upload_mbps=20|ping_ms=15|mcc=208|mnc=1|network_type=CELLULAR|connection_type=4G|device_type=phone|"+
				"enb=1000|cell_id=256001|pci=7|rsrp=-90|rsrq=-9|snr=12",
			"id=b|timestamp=2026-03-05T10:04:00Z|lat=LAT|lng=4.26|download_mbps=200|average_mbps=180|"+
				"max_mbps=210|upload_mbps=30|ping_ms=12|mcc=208|mnc=10|network_type=CELLULAR|connection_type=5G|"+
				"device_type=tablet|gnb=2000|cell_id=68719476735|pci=900|rsrp=-80|rsrq=-8|snr=13"),
		required: "timestamp lat lng download_mbps mcc mnc", filled: "download_mbps mcc mnc",
		// the networks are of one country
		read: "average_mbps max_mbps upload_mbps ping_ms network_type connection_type device_type enb gnb cell_id pci " +
			"rsrp rsrq snr",
		facts: facts{"measures": 2, "times": 2, "mcc": 2, "mnc": 2, "operators": 2, "names": 2, "technologies": 2,
			"networkTypes": 2, "devices": 2,
			"enb": 1, "gnb": 1, "cells": 2, "pci": 2, "rsrp": 2, "rsrq": 2, "snr": 2, "down": 2, "mean": 2, "most": 2,
			"up": 2, "ping": 2},
		otherwise: map[string]facts{"download_mbps": {"down": 0}, "average_mbps": {"mean": 0},
			"max_mbps": {"most": 0}, "upload_mbps": {"up": 0}, "ping_ms": {"ping": 0},
			"mnc": {"mnc": 0, "operators": 0, "names": 0}, "network_type": {"networkTypes": 0},
			"connection_type": {"technologies": 0}, "device_type": {"devices": 0},
			"gnb": {"gnb": 0}, "cell_id": {"cells": 0}, "pci": {"pci": 0}, "rsrp": {"rsrp": 0}, "rsrq": {"rsrq": 0},
			"snr": {"snr": 0}}},
	{name: "coverage", comma: ",", kind: Coverage, served: 1,
		header: "id,timestamp,lat,lng,signal_strength,rsrp,rsrq,snr,technology,network_type,mcc,mnc,operator,enb,gnb," +
			"cell_id,pci",
		rows: stated(
			"id=a|timestamp=2026-03-05T10:03:00Z|lat=LAT|lng=4.25|signal_strength=-60|rsrp=-80|rsrq=-9|snr=12|" +
				"technology=LTE|network_type=CELLULAR|mcc=208|mnc=10|operator=SFR|enb=1000|cell_id=256001|pci=7"),
		required: "timestamp lat lng technology mcc mnc", filled: "technology mcc mnc", // the operator has one network
		read:  "signal_strength rsrp rsrq snr network_type operator enb gnb cell_id pci",
		facts: lteFacts.with(facts{"networkTypes": 1, "rsrp": 1, "rsrq": 1, "snr": 1, "signals": 1}),
		otherwise: map[string]facts{"technology": {"technologies": 0}, "signal_strength": {"signals": 0},
			"rsrp": {"rsrp": 0}, "rsrq": {"rsrq": 0},
			"snr":          {"snr": 0},
			"network_type": {"networkTypes": 0}, "cell_id": {"cells": 0}, "pci": {"pci": 0}}},
	{name: "arcep", comma: ";", kind: Speedtest, served: 1, header: arcepHeader,
		rows: stated(
			"date_start=23/06/2025|hour_start=10:48:58|situation=Indoor|latitude_start=LAT|longitude_start=4.25|operator=Free|mcc_start=208|" +
				"mnc_start=15|bitrate_dl=104,634776|bitrate_ul=6,2|rsrp=-109.12|rsrq=-12.91|protocole=DOWNLOAD|techno_start=5G|" +
				"territory=METROPOLE|Result=Traffic Fail"),
		required: "date_start hour_start latitude_start longitude_start operator bitrate_dl bitrate_ul",
		filled:   "bitrate_dl bitrate_ul",
		read:     "rsrp rsrq rscp pci cell_id territory techno_start date_time_start situation",
		facts: facts{"measures": 1, "times": 1, "mcc": 1, "mnc": 1, "operators": 1, "names": 1, "rsrp": 1, "rsrq": 1,
			"down": 1, "up": 1},
		otherwise: map[string]facts{"bitrate_dl": {"down": 0}, "bitrate_ul": {"up": 0}, "rsrp": {"rsrp": 0}, "rsrq": {"rsrq": 0}}},
	{name: "arcep 2022", comma: ";", kind: Speedtest, served: 1, all: "débit_en_Mbit/s", header: arcep2022Header,
		rows: stated(
			"date=04/07/2022|heure=14:43:35|situation=Indoor|operateur=Bouygues|rsrp=-111,75|latitude=LAT|longitude=4,25|protocole=DOWNLOAD|" +
				"débit_en_Mbit/s=104,6"),
		required: "date heure latitude longitude operateur protocole débit_en_Mbit/s", filled: "débit_en_Mbit/s",
		read:      "rsrp situation",
		facts:     facts{"measures": 1, "times": 1, "mcc": 1, "mnc": 1, "operators": 1, "names": 1, "rsrp": 1, "down": 1},
		otherwise: map[string]facts{"rsrp": {"rsrp": 0}}},
	opencellid,
	headless(opencellid, "radio mcc lon lat"),
	{name: "towercollector", comma: ",", kind: Coverage, served: 2,
		header: "mcc,mnc,lac,cell_id,short_cell_id,rnc,psc,asu,dbm,ta,lat,lon,accuracy,speed,bearing,altitude," +
			"measured_at,net_type,neighboring,discovered_at,device," +
			"rsrp,rsrq,rssi,rssnr,cqi,rscp,csi_rsrp,csi_rsrq,csi_sinr,ss_rsrp,ss_rsrq,ss_sinr,cdma_dbm,cdma_ecio," +
			"evdo_dbm,evdo_ecio,evdo_snr,ec_no,arfcn",
		rows: stated(
			"mcc=208|mnc=15|cell_id=256001|dbm=-101|lat=LAT|lon=4.25|measured_at=2026-03-05T10:03:00.123Z|"+
				"net_type=LTE|neighboring=false|rsrp=-100|rsrq=-11|rssnr=7.5|device=SERIAL",
			"mcc=208|mnc=15|cell_id=4886718336|dbm=-99|lat=LAT|lon=4.25|measured_at=2026-03-05T10:03:00.123Z|"+
				"net_type=NR|neighboring=false|ss_rsrp=-99|ss_rsrq=-12|ss_sinr=3|device=SERIAL",
			"mcc=208|mnc=15|cell_id=256002|dbm=-105|lat=LAT|lon=4.25|measured_at=2026-03-05T10:03:00.123Z|"+
				"net_type=LTE|neighboring=true|device=SERIAL"),
		required: "mcc mnc cell_id lat lon net_type neighboring measured_at",
		read:     "dbm rsrp rsrq rssnr ss_rsrp ss_rsrq ss_sinr",
		facts: facts{"measures": 2, "times": 2, "mcc": 2, "mnc": 2, "operators": 2, "names": 2, "technologies": 2,
			"enb": 1, "cells": 2,
			"signals": 2, "rsrp": 2, "rsrq": 2, "snr": 2},
		otherwise: map[string]facts{"dbm": {"signals": 0}, "rsrp": {"rsrp": 1}, "rsrq": {"rsrq": 1},
			"rssnr": {"snr": 1}, "ss_rsrp": {"rsrp": 1}, "ss_rsrq": {"rsrq": 1}, "ss_sinr": {"snr": 1}}},
	{name: "gmon", comma: ";", kind: Coverage, served: 1,
		header: "PLMN;SYSTEM;XCI;xNBID;LOCAL_CID;LAC/TAC;PCI/PSC/BSIC;ARFCN;BAND;RSSI;RSRP/RSCP;RSRQ/ECIO;SNR;CQI;TA;" +
			"DISTANCE;DELTA_AZI;LAT;LON;SPEED;GPS_ACCURACY;UL;DL;BANDWIDTH;" +
			"BANDWIDTHS;CA;NR_STATE;NARFCN;NR_BAND;NR_PCI;NR_SS_RSRP;NR_SS_RSRQ;NR_SS_SINR;NR_CSI_RSRP;NR_CSI_RSRQ;" +
			"NR_CSI_SINR;CLF_LABEL;CLF_LOC;CLF_DESC;DATE;TIME;ROAMING",
		rows: stated(
			"PLMN=20801|SYSTEM=LTE|XCI=256001|xNBID=1000|PCI/PSC/BSIC=301|RSSI=-65|RSRP/RSCP=-95|RSRQ/ECIO=-10|" +
				"SNR=8|LAT=LAT|LON=4.25|DATE=20260305|TIME=100300"),
		required: "PLMN SYSTEM XCI LAT LON DATE TIME", filled: "XCI",
		read:  "xNBID PCI/PSC/BSIC RSSI RSRP/RSCP RSRQ/ECIO SNR NR_SS_RSRP NR_SS_RSRQ NR_SS_SINR",
		facts: lteFacts.with(facts{"signals": 1, "rsrp": 1, "rsrq": 1, "snr": 1}),
		otherwise: map[string]facts{"XCI": {"cells": 0}, "PCI/PSC/BSIC": {"pci": 0}, "RSSI": {"signals": 0},
			"RSRP/RSCP": {"rsrp": 0}, "RSRQ/ECIO": {"rsrq": 0},
			"SNR": {"snr": 0}}},
	{name: "cellmapper", comma: ",", kind: Coverage, served: 1, headless: true,
		header: "lat,lon,alt,MCC,MNC,LAC,Cell,Signal,Type,Subtype,ARFCN,PCI",
		rows: stated(
			"lat=LAT|lon=4.25|alt=200|MCC=208|MNC=20|LAC=12|Cell=256001|Signal=-88|Type=LTE|Subtype=LTE|" +
				"ARFCN=1300|PCI=301"),
		required: "lat lon MCC MNC Cell Type", told: "lat lon MCC Type",
		facts:     lteFacts.with(facts{"times": 0, "signals": 1}),
		otherwise: map[string]facts{"Signal": {"signals": 0}, "PCI": {"pci": 0}}},
	networkSurvey("eci", "256001", "earfcn,pci,rsrp,rsrq,lteBandwidth,cqi,snr", "rsrp rsrq snr",
		map[string]string{"rsrp": "-112.0", "rsrq": "-9.0", "snr": "-1.0"}),
	func() columnsCase {
		c := networkSurvey("nci", "68719476735", "narfcn,pci,ssRsrp,ssRsrq,ssSinr,csiRsrp", "ssRsrp ssRsrq ssSinr",
			map[string]string{"ssRsrp": "-99", "ssRsrq": "-12", "ssSinr": "3"})
		c.facts = c.facts.with(facts{"enb": 0})
		return c
	}(),
	netmonster,
	{name: "neostumbler", comma: ",", kind: Coverage, served: 1,
		header: "timestamp,latitude,longitude,locationAccuracy,locationAge,speed,cellId,radioType,mcc,mnc,lac,psc,signalStrength," +
			"asu,arfcn,cellScanAge",
		rows: stated("timestamp=1760000000123|latitude=LAT|longitude=4.25|cellId=256001|radioType=lte|mcc=208|mnc=20|psc=301|" +
			"signalStrength=-88|locationAccuracy=12.5"),
		required: "timestamp latitude longitude cellId radioType mcc mnc", read: "psc signalStrength",
		facts:     lteFacts.with(facts{"signals": 1}),
		otherwise: map[string]facts{"psc": {"pci": 0}, "signalStrength": {"signals": 0}}},
	{name: "towercollector upload", comma: ",", kind: Coverage, served: 1,
		header: "lat,lon,mcc,mnc,sid,lac,tac,nid,cellid,bid,psc,pci,signal,ta,measured_at,rating,speed,direction,act,devn",
		rows: stated("lat=LAT|lon=4.25|mcc=208|mnc=20|tac=12|cellid=256001|pci=301|signal=52|" +
			"measured_at=2026-03-05 10:03:00.000Z|rating=5|act=LTE|devn=Phone"),
		required: "lat lon mcc mnc cellid act measured_at", read: "pci", facts: lteFacts,
		otherwise: map[string]facts{"pci": {"pci": 0}}},
}

// opencellid has a mean of many measurements in a row.
var opencellid = columnsCase{name: "opencellid", comma: ",", kind: Coverage, served: 1,
	header: "radio,mcc,net,area,cell,unit,lon,lat,range,samples,changeable,created,updated,averageSignal",
	rows: stated(
		"radio=LTE|mcc=208|net=10|area=5|cell=256001|unit=17|lon=4.25|lat=LAT|range=100|samples=3|" +
			"changeable=1|created=1600000000|updated=1760000000|averageSignal=-101"),
	required: "radio mcc net cell lon lat updated", read: "area unit range samples changeable created averageSignal",
	facts:     lteFacts.with(facts{"signals": 1}),
	otherwise: map[string]facts{"unit": {"pci": 0}, "averageSignal": {"signals": 0}}}

// netmonster states no time. Its file has no header.
var netmonster = columnsCase{name: "netmonster", comma: ";", kind: Coverage, served: 1, headless: true, told: "RAT MCC eNB Lat Lon",
	header: "RAT;MCC;MNC;CI;TAC;eNB;PCI;Lat;Lon;Location;EARFCN",
	rows: stated(
		"RAT=4G|MCC=208|MNC=20|CI=12|TAC=12|eNB=1000|PCI=301|Lat=LAT|Lon=4.25|Location=Somewhere|" +
			"EARFCN=1300"),
	required: "RAT MCC MNC CI Lat Lon", filled: "CI", read: "TAC eNB PCI Location EARFCN",
	facts:     lteFacts.with(facts{"times": 0}),
	otherwise: map[string]facts{"CI": {"cells": 0}, "PCI": {"pci": 0}}}

// headless is the table without its header: only the first row tells what it is.
func headless(c columnsCase, told string) columnsCase {
	c.name, c.headless, c.told = c.name+" without a header", true, told
	return c
}

// stated makes rows of what they state; what is not named is empty.
func stated(texts ...string) (list []map[string]string) {
	for _, text := range texts {
		row := map[string]string{}
		for pair := range strings.SplitSeq(text, "|") {
			name, value, _ := strings.Cut(pair, "=")
			row[name] = value
		}
		list = append(list, row)
	}
	return list
}
