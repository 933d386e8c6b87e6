package ingest

import "relais/market"

// extractHeader is that of Site_Data_Extract_FX; required columns end in *.
const extractHeader = "upload_date*,licence_number,reference_number,subservice_id*,licence_category*,area_id*," +
	"area_name*,account_number*,licensee_name*," +
	"contact_name,business_telephone,email_address,location,station_type,technology,cell_id,physical_id,province_code," +
	"latitude,longitude,site_type," +
	"structure_height,structure_type,date_last_changed,record_id,tx_frequency,rx_frequency,tx_radio_model_number," +
	"rx_radio_model_number," +
	"tx_radio_manufacturer_code,rx_radio_manufacturer_code,tx_certification_no,rx_certification_no,bandwidth," +
	"class_emission,tx_power," +
	"downlink_allocation,tx_ant_type,rx_ant_type,tx_number_antennas,rx_number_antennas,tx_ant_model_no," +
	"rx_ant_model_no,tx_ant_manufacturer," +
	"rx_ant_manufacturer,tx_ant_height,rx_ant_height,tx_ant_omni_indicator,rx_ant_omni_indicator," +
	"tx_ant_horiz_beamwidth,rx_ant_horiz_beamwidth," +
	"tx_ant_vert_beamwidth,rx_ant_vert_beamwidth,tx_ant_azimuth,rx_ant_azimuth,tx_ant_elevation_angle," +
	"rx_ant_elevation_angle,tx_ant_gain," +
	"rx_ant_gain,tx_line_loss,rx_line_loss"

// Two places: one of LTE with the whole of what a row can state, one of 5G whose cell and
// received frequency are not stated.
var twoPlaces = table("Site_Data_Extract_FX_2026-01-10.csv", ",", extractHeader,
	"2026-01-10,010000001,ref1,46,CELL,4-001,Ontario,100000001,Bell Mobility Inc.,Zoe PLANTED,(613) 555-0187 PLANTED,"+
		"zoe.PLANTED@example.ca,"+
		"Main St,FX,LTE,25601,17,ON,43.642321,-79.387089,U,55,T,2025-11-01,R1,871,826,M1,M2,A,B,C1,C2,10000,10M0G7W,"+
		"43,FDD,"+
		"P,P,1,1,N1,N2,E,E,50.5,50,D,D,65,65,7,7,120,120,2,2,17,17,0.5,0.5",
	"2026-01-09,010000002,ref2,46,3500B,4-002,Quebec,100000002,Rogers Communications,Max PLANTED,(514) 555-0199 PLANTED,"+
		"max.PLANTED@example.ca,"+
		"Rue 5,FX,5GNR,x,500,QC,45.501230,-73.567890,U,30,T,2025-11-01,R2,3500,-,M1,M2,A,B,C1,C2,10000,10M0G7W,43,TDD,"+
		"P,P,1,1,N1,N2,E,E,28,28,D,D,65,65,7,7,240,240,2,2,17,17,0.5,0.5")

func columnsCanada() columnsKit {
	return columnsKit{markets: []market.Code{market.CA}, facts: facts{"sites": 2, "stations": 2, "stationCodes": 2,
		"operatorIds": 2, "sourceCodes": 2,
		"references": 2, "emissions": 2, "generations": 2, "areas": 2, "streets": 2, "heights": 2, "natures": 2,
		"antennaHeights": 2,
		"azimuths":       2, "sent": 2, "received": 1, "enb": 1, "cells": 1, "pci": 2},
		cases: []columnsCase{{twoPlaces, contract{whole: true,
			required: words("licence_number licence_category* licensee_name* technology province_code latitude " +
				"longitude"),
			filled: words("province_code"),
			read: words("upload_date* reference_number location cell_id physical_id structure_height structure_type " +
				"record_id " +
				"tx_frequency rx_frequency tx_ant_height tx_ant_omni_indicator tx_ant_azimuth"),
			personal: words("contact_name business_telephone email_address"),
			guarded: map[string]string{"record_id": "operatorSiteIds", "cell_id": "cells", "physical_id": "pcis",
				"tx_frequency": "frequencies", "rx_frequency": "receivedFrequencies", "tx_ant_azimuth": "azimuthLists",
				"tx_ant_height": "antennaHeights", "reference_number": "references", "location": "addresses",
				"province_code": "areas", "structure_height": "heights", "structure_type": "natures"}}}}}
}

// The older layout has no technology, and what else it has is not known.
func columnsCanadaOlder() columnsKit {
	return columnsKit{markets: []market.Code{market.CA}, facts: facts{"sites": 1, "stations": 1, "stationCodes": 1,
		"emissions": 1, "areas": 1, "streets": 1,
		"heights": 1, "antennaHeights": 1, "azimuths": 1, "sent": 1},
		cases: []columnsCase{{table("Site_Data_2019-05-06.csv", ",",
			"NEW_ACCOUNT,NEW_LICNO,LICENSEE,SERVICE,TRANSMIT_FREQ,LOCATION,PROV,LATITUDE,LONGITUDE,STUCT_HT,TX_ANT_HT,"+
				"TX_ANT_AZIM,LAST_UPLOAD_DATE",
			"1,010287465-001,Videotron,MBS,731.5,Mont-Royal,QC,45.5,-73.6,30,28,0,2019-05-06"), contract{
			required: words("NEW_LICNO LICENSEE SERVICE PROV LATITUDE LONGITUDE"), filled: words("PROV"),
			read: words("TRANSMIT_FREQ LOCATION STUCT_HT TX_ANT_HT TX_ANT_AZIM LAST_UPLOAD_DATE"),
			guarded: map[string]string{"TRANSMIT_FREQ": "frequencies", "TX_ANT_AZIM": "azimuthLists", "PROV": "areas",
				"LOCATION": "addresses", "STUCT_HT": "heights", "TX_ANT_HT": "antennaHeights"}}}}}
}
