package ingest

// Each table of cells gives a cell of its own to the support of SFR, which stands at
// 46.5 N 3.1 E. What a phone hears in addition to the cell that serves it is nobody's.
func columnsCells() columnsKit {
	ocid := table("opencellid_208.csv", ",", "radio,mcc,net,area,cell,unit,lon,lat,range,samples,changeable,created,"+
		"updated,averageSignal",
		"LTE,208,10,9,25857,1,3.1,46.5,1000,5,1,1309988245,1443599522,0")
	tower := table("towercollector.csv", ",", "mcc,mnc,lac,cell_id,short_cell_id,rnc,psc,asu,dbm,ta,lat,lon,accuracy,"+
		"speed,bearing,altitude,"+
		"measured_at,net_type,neighboring,discovered_at,device,rsrp,rsrq,rssi,rssnr,cqi,rscp,csi_rsrp,csi_rsrq,"+
		"csi_sinr,ss_rsrp,ss_rsrq,ss_sinr,"+
		"cdma_dbm,cdma_ecio,evdo_dbm,evdo_ecio,evdo_snr,ec_no,arfcn")
	phone := map[string]string{"mcc": "208", "mnc": "10", "lac": "9", "cell_id": "26113", "dbm": "-90", "lat": "46.5",
		"lon": "3.1", "net_type": "LTE",
		"neighboring": "false", "device": planted, "measured_at": "2026-01-01T10:00:00Z " + planted,
		"discovered_at": planted, "rsrp": "-95"}
	tower.rows = [][]string{fill(tower.columns, "", phone), fill(tower.columns, "", with(phone, "cell_id", "26369",
		"neighboring", "true"))}
	gmon := table("gmon.csv", ";", "PLMN;SYSTEM;XCI;xNBID;LOCAL_CID;LAC/TAC;PCI/PSC/BSIC;ARFCN;BAND;RSSI;RSRP/RSCP;"+
		"RSRQ/ECIO;SNR;CQI;TA;DISTANCE;"+
		"DELTA_AZI;LAT;LON;SPEED;GPS_ACCURACY;UL;DL;BANDWIDTH;BANDWIDTHS;CA;NR_STATE;NARFCN;NR_BAND;NR_PCI;NR_SS_RSRP;"+
		"NR_SS_RSRQ;NR_SS_SINR;"+
		"NR_CSI_RSRP;NR_CSI_RSRQ;NR_CSI_SINR;CLF_LABEL;CLF_LOC;CLF_DESC;DATE;TIME;ROAMING")
	gmon.rows = [][]string{fill(gmon.columns, "", map[string]string{"PLMN": "20810", "SYSTEM": "LTE", "XCI": "26625",
		"xNBID": "104", "PCI/PSC/BSIC": "4",
		"LAT": "46.5", "LON": "3.1", "DATE": planted, "TIME": planted})}

	upload := table("upload.csv", ",", "lat,lon,mcc,mnc,sid,lac,tac,nid,cellid,bid,psc,pci,signal,ta,measured_at,rating,speed,direction,act,devn")
	upload.rows = [][]string{fill(upload.columns, "", map[string]string{"lat": "46.5", "lon": "3.1", "mcc": "208", "mnc": "10",
		"tac": "9", "cellid": "27649", "pci": "8", "signal": "52", "measured_at": planted, "rating": "5", "speed": "0",
		"direction": "0", "act": "LTE", "devn": planted})}
	stumbler := table("cells.csv", ",", "timestamp,latitude,longitude,locationAccuracy,locationAge,speed,cellId,radioType,mcc,mnc,"+
		"lac,psc,signalStrength,asu,arfcn,cellScanAge",
		planted+",46.5,3.1,12.5,1000,0.0,27905,lte,208,10,9,9,-90,50,1300,800")
	return columnsKit{markets: both, facts: twoSupportsFacts.set(facts{"enb": 6, "cells": 7, "pci": 6}), cases: []columnsCase{
		{ocid, contract{required: words("radio mcc net cell lon lat"),
			read:  words("area unit range samples changeable created updated averageSignal"),
			facts: map[string]facts{"unit": {"pci": 5}}}},
		{tower, contract{served: 1, required: words("mcc mnc cell_id lat lon net_type neighboring"),
			personal: words("device measured_at discovered_at")}},
		{gmon, contract{required: words("PLMN SYSTEM XCI LAT LON"), filled: words("XCI"),
			read:     words("xNBID PCI/PSC/BSIC"),
			personal: words("DATE TIME"), facts: map[string]facts{"XCI": {"cells": 6}, "PCI/PSC/BSIC": {"pci": 5}}}},
		survey("eci", "27137", "6", "earfcn,pci,rsrp,rsrq,lteBandwidth,cqi,snr"),
		survey("nci", "68719476735", "7", "narfcn,pci,ssRsrp,ssRsrq,ssSinr,csiRsrp,csiRsrq,csiSinr"),
		{upload, contract{required: words("lat lon mcc mnc cellid act"), read: words("pci"),
			personal: words("measured_at devn"), facts: map[string]facts{"pci": {"pci": 5}}}},
		{stumbler, contract{required: words("latitude longitude cellId radioType mcc mnc"), read: words("psc"),
			personal: words("timestamp"), facts: map[string]facts{"psc": {"pci": 5}}}},
	}, others: []publication{twoSupports}}
}

// survey is a log of Network Survey, which has a table for each technology.
func survey(cell, number, pci, radio string) columnsCase {
	p := table("networksurvey_"+cell+".csv", ",", "deviceTime,latitude,longitude,altitude,speed,accuracy,missionId,"+
		"recordNumber,groupNumber,mcc,mnc,"+
		"tac,"+cell+","+radio+",ta,servingCell,provider,signalStrength,slot,deviceSerialNumber,locationAge")
	p.before = "# Created by Network Survey version=1.43-cdr\n# CSV Version=0.4.0\n"
	served := map[string]string{"deviceTime": planted, "latitude": "46.5", "longitude": "3.1",
		"missionId": "NS " + planted, "mcc": "208", "mnc": "10",
		cell: number, "pci": pci, "servingCell": "true", "deviceSerialNumber": planted}
	p.rows = [][]string{fill(p.columns, "", served), fill(p.columns, "", with(served, cell, "27393", "servingCell",
		"false"))}
	return columnsCase{p, contract{served: 1, required: words("mcc mnc " + cell + " latitude longitude servingCell"),
		read:     words("pci deviceTime"),
		personal: words("deviceTime missionId deviceSerialNumber"), facts: map[string]facts{"pci": {"pci": 5}}}}
}

// with is the row with other values.
func with(row map[string]string, pairs ...string) map[string]string {
	more := map[string]string{}
	for k, v := range row {
		more[k] = v
	}
	for i := 0; i < len(pairs); i += 2 {
		more[pairs[i]] = pairs[i+1]
	}
	return more
}

// Tables without a header have no names: one with another number of columns is refused as
// unknown, and so is one whose first row does not say what it is.
func columnsHeadless() columnsKit {
	headlessCase := func(file, comma, header, row string, c contract) columnsCase {
		return columnsCase{headless(table(file, comma, header, row)), c}
	}
	return columnsKit{markets: both, facts: twoSupportsFacts.set(facts{"enb": 5, "cells": 5, "pci": 4}), cases: []columnsCase{
		headlessCase("ocid.csv", ",", "radio,mcc,net,area,cell,unit,lon,lat,range,samples,changeable,created,updated,"+
			"averageSignal",
			"LTE,208,10,9,25857,1,3.1,46.5,1000,5,1,1309988245,1443599522,0", contract{
				required: words("radio mcc net cell lon lat"), told: words("radio mcc lon lat"),
				facts: map[string]facts{"unit": {"pci": 3}}}),
		headlessCase("cellmapper.csv", ",", "lat,lon,alt,MCC,MNC,LAC,Cell,Signal,Type,Subtype,ARFCN,PCI",
			"46.5,3.1,200,208,10,9,26113,-90,LTE,LTE,1300,2", contract{
				required: words("lat lon MCC MNC Cell Type"), told: words("lat lon MCC Type"),
				facts: map[string]facts{"PCI": {"pci": 3}}}),
		headlessCase("netmonster.ntm", ";", "RAT;MCC;MNC;CI;TAC;eNB;PCI;Lat;Lon;Location;EARFCN",
			"4G;208;10;12;9;103;3;46.5;3.1;X [eNBI:103:12];1300", contract{
				required: words("RAT MCC MNC CI Lat Lon"), filled: words("CI"), told: words("RAT MCC eNB Lat Lon"),
				facts: map[string]facts{"CI": {"cells": 4}, "PCI": {"pci": 3}}}),
		headlessCase("netmonitor.csv", ";", "type;MCC;MNC;LAC;CI;PCI;ARFCN;lat;lon;accuracy;text",
			"L;208;10;9;26626;4;1300;46.5;3.1;100;LTE1800", contract{
				required: words("type MCC MNC CI lat lon"), told: words("type MCC lat lon"),
				facts: map[string]facts{"PCI": {"pci": 3}}}),
		headlessCase("cells.clf", ";", "MCCMNC;cell;LAC;type;lat;lon;posrat;text;sys;label;azimuth;height;hbw;vbw;tilt;place",
			"20810;26882;00009;0;46.5;3.1;-1;X [eNBI:105:2];4;X_26882;0;0;0;0;0;X", contract{
				required: words("MCCMNC cell lat lon sys"), told: words("MCCMNC lat lon sys")}),
	}, others: []publication{twoSupports}}
}
