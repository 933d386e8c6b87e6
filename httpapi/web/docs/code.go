package docs

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"text/template"

	"relais/api"
	"relais/api/endpoint"
)

// A code is lines of a programming language that send a request. They take the key from the
// environment variable KEY.
type code struct{ Language, Text string }

// languages are the languages of code, with a template for each kind of request.
var languages = []struct{ name, get, json, upload string }{
	{"curl",
		`curl {{if .Delete}}-X DELETE{{else}}--compressed{{end}} {{if .Keyed}}-H "X-API-Key: $KEY" {{end}}{{if .File}}-o {{.File}} {{end}}'{{.URL}}'`,
		`curl -H "X-API-Key: $KEY" -H "Content-Type: application/json" \
  -d '{{.JSON}}' \
  '{{.URL}}'`,
		`curl -H "X-API-Key: $KEY" -F file=@{{.Upload}} -F description="From the street" \
  '{{.URL}}'`},
	{"JavaScript",
		`const response = await fetch("{{.URL}}", {
{{if .Delete}}  method: "DELETE",
{{end}}{{if .Keyed}}  headers: { Authorization: "Bearer " + process.env.KEY },
{{end}}});
if (!response.ok) throw new Error((await response.json()).code);
{{if .File}}const tile = await response.arrayBuffer();
console.log(tile.byteLength);{{else}}console.log(await response.json());{{end}}`,
		`const response = await fetch("{{.URL}}", {
  method: "POST",
  headers: { Authorization: "Bearer " + process.env.KEY, "Content-Type": "application/json" },
  body: JSON.stringify({{.JSON}}),
});
if (!response.ok) throw new Error((await response.json()).code);
console.log(await response.json());`,
		`import { readFile } from "node:fs/promises";

const form = new FormData();
form.set("file", new Blob([await readFile("{{.Upload}}")]), "{{.Upload}}");
form.set("description", "From the street");
const response = await fetch("{{.URL}}", {
  method: "POST",
  headers: { Authorization: "Bearer " + process.env.KEY },
  body: form,
});
if (!response.ok) throw new Error((await response.json()).code);
console.log(await response.json());`},
	{"Python",
		`import {{if .Keyed}}os, {{end}}requests

response = requests.{{if .Delete}}delete{{else}}get{{end}}(
    "{{.URL}}",
    {{if .Keyed}}headers={"Authorization": "Bearer " + os.environ["KEY"]}, {{end}}timeout=30)
response.raise_for_status()
{{if .File}}print(len(response.content)){{else}}print(response.json()){{end}}`,
		`import os, requests

response = requests.post(
    "{{.URL}}",
    headers={"Authorization": "Bearer " + os.environ["KEY"]}, timeout=30,
    json={{.JSON}})
response.raise_for_status()
print(response.json())`,
		`import os, requests

with open("{{.Upload}}", "rb") as photo:
    response = requests.post(
        "{{.URL}}",
        headers={"Authorization": "Bearer " + os.environ["KEY"]}, timeout=60,
        files={"file": photo}, data={"description": "From the street"})
response.raise_for_status()
print(response.json())`},
	{"Swift",
		`import Foundation

var request = URLRequest(url: URL(string: "{{.URL}}")!)
{{if .Delete}}request.httpMethod = "DELETE"
{{end}}{{if .Keyed}}request.setValue("Bearer " + ProcessInfo.processInfo.environment["KEY"]!, forHTTPHeaderField: "Authorization")
{{end}}let (data, response) = try await URLSession.shared.data(for: request)
guard (response as! HTTPURLResponse).statusCode == 200 else { throw URLError(.badServerResponse) }
{{if .File}}print(data.count){{else}}print(String(decoding: data, as: UTF8.self)){{end}}`,
		`import Foundation

var request = URLRequest(url: URL(string: "{{.URL}}")!)
request.httpMethod = "POST"
request.setValue("Bearer " + ProcessInfo.processInfo.environment["KEY"]!, forHTTPHeaderField: "Authorization")
request.setValue("application/json", forHTTPHeaderField: "Content-Type")
request.httpBody = Data(#"{{.JSON}}"#.utf8)
let (data, _) = try await URLSession.shared.data(for: request)
print(String(decoding: data, as: UTF8.self))`,
		`import Foundation

var request = URLRequest(url: URL(string: "{{.URL}}")!)
request.httpMethod = "POST"
request.setValue("Bearer " + ProcessInfo.processInfo.environment["KEY"]!, forHTTPHeaderField: "Authorization")
request.setValue("multipart/form-data; boundary=photo", forHTTPHeaderField: "Content-Type")
var body = Data("--photo\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{{.Upload}}\"\r\n\r\n".utf8)
body += try Data(contentsOf: URL(fileURLWithPath: "{{.Upload}}"))
body += Data("\r\n--photo--\r\n".utf8)
let (data, _) = try await URLSession.shared.upload(for: request, from: body)
print(String(decoding: data, as: UTF8.self))`},
	{"Kotlin (OkHttp)",
		`import okhttp3.*

val request = Request.Builder()
    .url("{{.URL}}"){{if .Keyed}}
    .header("Authorization", "Bearer " + System.getenv("KEY")){{end}}{{if .Delete}}
    .delete(){{end}}
    .build()
OkHttpClient().newCall(request).execute().use { response ->
    check(response.isSuccessful) { response.code }
    println({{if .File}}response.body!!.bytes().size{{else}}response.body!!.string(){{end}})
}`,
		`import okhttp3.*
import okhttp3.MediaType.Companion.toMediaType
import okhttp3.RequestBody.Companion.toRequestBody

val json = """{{.JSON}}"""
val request = Request.Builder()
    .url("{{.URL}}")
    .header("Authorization", "Bearer " + System.getenv("KEY"))
    .post(json.toRequestBody("application/json".toMediaType()))
    .build()
OkHttpClient().newCall(request).execute().use { response -> println(response.body!!.string()) }`,
		`import okhttp3.*
import okhttp3.RequestBody.Companion.asRequestBody
import java.io.File

val form = MultipartBody.Builder().setType(MultipartBody.FORM)
    .addFormDataPart("file", "{{.Upload}}", File("{{.Upload}}").asRequestBody())
    .addFormDataPart("description", "From the street")
    .build()
val request = Request.Builder()
    .url("{{.URL}}")
    .header("Authorization", "Bearer " + System.getenv("KEY"))
    .post(form)
    .build()
OkHttpClient().newCall(request).execute().use { response -> println(response.body!!.string()) }`},
}

// codeOf returns the lines of each language that send the example of an operation.
func codeOf(op *endpoint.Op[*api.Env], baseURL string) (list []code) {
	r := op.Example
	data := struct {
		endpoint.Request
		URL    string
		File   string // to keep an answer that is not JSON
		Delete bool
		Keyed  bool // it needs a key
	}{Request: r, URL: baseURL + mount + r.Target, Delete: op.Method == http.MethodDelete, Keyed: op.Scope != ""}
	if u, err := url.Parse(r.Target); err == nil && path.Ext(u.Path) == ".mvt" {
		data.File = path.Base(u.Path)
	}
	for _, l := range languages {
		lines := l.get
		switch {
		case r.Upload != "":
			lines = l.upload
		case op.Method == "POST":
			lines = l.json
		}
		var text strings.Builder
		if err := template.Must(template.New(l.name).Parse(lines)).Execute(&text, data); err != nil {
			panic("docs: " + err.Error()) // the templates are constants
		}
		list = append(list, code{l.name, text.String()})
	}
	return list
}
