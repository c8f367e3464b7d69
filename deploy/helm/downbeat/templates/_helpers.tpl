{{- define "downbeat.labels" -}}
app.kubernetes.io/name: downbeat
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- define "downbeat.name" -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end -}}
