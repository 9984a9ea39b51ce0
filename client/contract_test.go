package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/platenhq/platen/client"
)

// methods are the operations of the contract, each with the method that asks for it.
var methods = map[string]string{
	"getMe": "Me", "listAudit": "Audit",

	"listUsage": "Usage", "listSeries": "AllSeries", "getSeries": "Series", "updateSeries": "SetNextNumber", "listNumbers": "Numbers",

	"listWorkflows": "Workflows", "createWorkflow": "CreateWorkflow", "getWorkflow": "Workflow",
	"updateWorkflow": "UpdateWorkflow", "archiveWorkflow": "ArchiveWorkflow",

	"listDocuments": "Documents", "createDocument": "CreateDocument", "uploadDocument": "UploadDocument", "getDocument": "Document",
	"updateDocument": "UpdateDocument", "removeDocument": "RemoveDocument", "checkDocument": "CheckDocument",
	"replaceTemplate": "ReplaceTemplate", "rotatePreviewUrl": "RotatePreviewURL", "previewWorkflow": "Preview",

	"getTemplateState": "TemplateState", "listTemplateVersions": "TemplateVersions", "keepTemplateVersion": "KeepTemplateVersion", "getTemplateVersion": "TemplateVersion",
	"getTemplateVersionFile": "TemplateVersionFile", "restoreTemplateVersion": "RestoreTemplateVersion",

	"copyWorkflow": "CopyWorkflow", "exportWorkflow": "ExportWorkflow", "importWorkflow": "ImportWorkflow",

	"getOutgoingWebhook": "OutgoingWebhook", "createOutgoingWebhook": "CreateOutgoingWebhook", "updateOutgoingWebhook": "UpdateOutgoingWebhook",
	"deleteOutgoingWebhook": "DeleteOutgoingWebhook", "getSigningSecret": "SigningSecret", "rotateSigningSecret": "RotateSigningSecret",
	"getEndpointState": "EndpointState", "testOutgoingWebhook": "TestOutgoingWebhook",
	"getTestReceiver": "TestReceiver", "setTestReceiver": "SetTestReceiver", "deleteTestReceiver": "DeleteTestReceiver", "getTestSecret": "TestSecret",

	"getSource": "Source", "rotateSource": "RotateSource", "getSourceVerification": "SourceVerification",
	"setSourceVerification": "SetSourceVerification", "removeSourceVerification": "RemoveSourceVerification", "postSourceData": "Send",

	"listSchedules": "Schedules", "listAllSchedules": "AllSchedules", "createSchedule": "CreateSchedule", "getSchedule": "Schedule", "updateSchedule": "UpdateSchedule", "deleteSchedule": "DeleteSchedule", "runSchedule": "RunSchedule", "listScheduleFiles": "ScheduleFiles",
	"listReceivers": "Receivers", "createReceiver": "CreateReceiver", "getReceiver": "Receiver", "updateReceiver": "UpdateReceiver", "deleteReceiver": "DeleteReceiver",
	"getReceiverSecret": "ReceiverSecret", "rotateReceiverSecret": "RotateReceiverSecret", "getReceiverState": "ReceiverState", "testReceiver": "TryReceiver", "checkReceivers": "CheckReceivers",
	"listMailSenders": "MailSenders", "createMailSender": "CreateMailSender", "getMailSender": "MailSender", "updateMailSender": "UpdateMailSender", "deleteMailSender": "DeleteMailSender", "testMailSender": "TestMailSender",
	"listTargets": "Targets", "createTarget": "CreateTarget", "getTarget": "Target", "updateTarget": "UpdateTarget", "deleteTarget": "DeleteTarget", "testTarget": "TestTarget", "storeOutput": "StoreOutput",

	"getPublicForm": "PublicForm", "setPublicForm": "SetPublicForm", "rotatePublicForm": "RotatePublicForm", "deletePublicForm": "DeletePublicForm",

	"listAutomations": "Automations", "listAllAutomations": "AllAutomations", "countAutomations": "CountAutomations", "listFailures": "Failures", "markFailuresDone": "MarkFailuresDone", "reopenFailures": "ReopenFailures", "countWorkflowAutomations": "CountWorkflowAutomations", "getAutomation": "Automation", "eraseAutomation": "EraseAutomation",
	"retryAutomation": "RetryAutomation", "cancelAutomation": "CancelAutomation", "listOutputs": "Outputs", "listAllOutputs": "AllOutputs", "getOutputPdf": "OutputPDF", "getOutputEinvoice": "OutputEInvoice", "proposeEinvoice": "ProposeEInvoice", "zipOutputs": "ZipOutputs", "listMails": "Mails", "revokeMailLinks": "RevokeMailLinks", "mailOutput": "MailOutput", "approveOutput": "ApproveOutput", "rejectOutput": "RejectOutput", "correctOutput": "CorrectOutput", "getOutputData": "OutputData",

	"listBatches": "Batches", "createBatch": "CreateBatch", "checkBatch": "CheckBatch", "getBatch": "Batch", "listBatchRows": "BatchRows", "getBatchResults": "BatchResults",
	"pauseBatch": "PauseBatch", "resumeBatch": "ResumeBatch", "cancelBatch": "CancelBatch", "retryBatch": "RetryBatch", "correctBatch": "CorrectBatch", "zipBatch": "BatchZip", "bindBatch": "BatchPDF",

	"listEvents": "Events", "getEvent": "Event", "redeliverEvent": "RedeliverEvent", "recoverEvents": "RecoverEvents", "countEvents": "CountEvents",
}

const otherSpelling = "the same operation under the plural path has the method"

// leftOut are the operations that have none, and why.
var leftOut = map[string]string{
	"getOutgoingWebhookSingular":    otherSpelling,
	"createOutgoingWebhookSingular": otherSpelling,
	"updateOutgoingWebhookSingular": otherSpelling,
	"deleteOutgoingWebhookSingular": otherSpelling,
	"getSigningSecretSingular":      otherSpelling,
	"rotateSigningSecretSingular":   otherSpelling,
	"getEndpointStateSingular":      otherSpelling,
	"testOutgoingWebhookSingular":   otherSpelling,
	"getTestReceiverSingular":       otherSpelling,
	"setTestReceiverSingular":       otherSpelling,
	"deleteTestReceiverSingular":    otherSpelling,
	"getTestSecretSingular":         otherSpelling,
	"postTestSourceData":            "Send takes the address of tests, too",
}

type object = map[string]any

// An operation is one of the contract.
type operation struct {
	id, method, path string
	parameters       []string // in the query and the header
	request, answer  object   // schemas; nil: no JSON
}

func contract(t *testing.T) (document object, all []operation) {
	t.Helper()
	raw, err := os.ReadFile("../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	for path, item := range document["paths"].(object) {
		for method, of := range item.(object) {
			o, ok := of.(object)
			if !ok || o["operationId"] == nil {
				continue
			}
			one := operation{id: o["operationId"].(string), method: strings.ToUpper(method), path: path}
			parameters, _ := o["parameters"].([]any)
			for _, p := range parameters {
				one.parameters = append(one.parameters, resolve(document, p.(object))["name"].(string))
			}
			if body, ok := o["requestBody"].(object); ok {
				one.request = schemaOf(body)
			}
			for status, answer := range o["responses"].(object) {
				if strings.HasPrefix(status, "2") {
					one.answer = schemaOf(resolve(document, answer.(object)))
				}
			}
			all = append(all, one)
		}
	}
	return document, all
}

func schemaOf(body object) object {
	content, _ := body["content"].(object)
	media, ok := content["application/json"].(object)
	if !ok {
		return nil
	}
	return media["schema"].(object)
}

// resolve follows a reference within the contract.
func resolve(document, o object) object {
	for {
		ref, ok := o["$ref"].(string)
		if !ok {
			return o
		}
		at := any(document)
		for _, name := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			at = at.(object)[name]
		}
		o = at.(object)
	}
}

func TestEachOperationOfTheContractHasAMethodOrAReason(t *testing.T) {
	t.Parallel()
	_, all := contract(t)
	known := map[string]bool{}
	for _, o := range all {
		known[o.id] = true
		name, has := methods[o.id]
		reason, left := leftOut[o.id]
		switch _, there := reflect.TypeFor[*client.Client]().MethodByName(name); {
		case has && left:
			t.Errorf("%s has a method and is left out", o.id)
		case has && !there:
			t.Errorf("%s: the client has no method %s", o.id, name)
		case !has && reason == "":
			t.Errorf("%s %s (%s) has neither a method nor a reason why it is left out", o.method, o.path, o.id)
		}
	}
	for id := range methods {
		if !known[id] {
			t.Errorf("the contract has no operation %s", id)
		}
	}
	for id := range leftOut {
		if !known[id] {
			t.Errorf("the contract has no operation %s", id)
		}
	}
}

// Each method is called, and what it sends is compared with its operation.
func TestEachMethodAsksForItsOperation(t *testing.T) {
	t.Parallel()
	_, all := contract(t)
	for _, o := range all {
		name, ok := methods[o.id]
		if !ok {
			continue
		}
		t.Run(o.id, func(t *testing.T) {
			t.Parallel()
			var got *http.Request
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				got = r
				w.Header().Set("Content-Type", "application/json")
				if o.answer["type"] == "array" {
					fmt.Fprint(w, "[]")
					return
				}
				fmt.Fprint(w, "{}")
			}))
			defer server.Close()
			c, err := client.New(client.Options{Address: server.URL + "/v0", Token: "plt_token"})
			if err != nil {
				t.Fatal(err)
			}
			path := strings.NewReplacer("{workflowId}", "wkf_1", "{documentId}", "doc_1", "{automationId}", "aut_1", "{batchId}", "bat_1", "{eventId}", "evt_1", "{outputId}", "out_1", "{seriesName}", "invoices", "{versionId}", "ver_1", "{receiverId}", "rcv_1", "{targetId}", "tgt_1", "{scheduleId}", "sch_1", "{senderId}", "snd_1").Replace("/v0" + o.path)
			if o.id == "postSourceData" {
				path = "/source-key"
			}
			if err := call(t.Context(), reflect.ValueOf(c).MethodByName(name), o, server.URL+path); err != nil {
				t.Fatal(err)
			}
			if got.Method != o.method || got.URL.Path != path {
				t.Errorf("%s asks for %s %s, want %s %s", name, got.Method, got.URL.Path, o.method, path)
			}
			if sent, wanted := got.Header.Get("Idempotency-Key") != "", slices.Contains(o.parameters, "Idempotency-Key"); sent != wanted {
				t.Errorf("%s sends an Idempotency-Key: %t, want %t", name, sent, wanted)
			}
			for parameter := range got.URL.Query() {
				if !slices.Contains(o.parameters, parameter) {
					t.Errorf("%s sends the parameter %s, which the contract does not have", name, parameter)
				}
			}
			if token := got.Header.Get("Authorization"); (token == "plt_token") == (o.id == "postSourceData") {
				t.Errorf("%s sends Authorization %q", name, token)
			}
		})
	}
}

// call calls a method with the ids of its path, and fills its other parameters.
func call(ctx context.Context, method reflect.Value, o operation, address string) error {
	ids := map[int]string{}
	for i, name := range []string{"{documentId}", "{automationId}", "{batchId}", "{eventId}", "{outputId}"} {
		if strings.Contains(o.path, name) {
			ids[2] = []string{"doc_1", "aut_1", "bat_1", "evt_1", "out_1"}[i]
		}
	}
	ids[1] = "wkf_1"
	if strings.Contains(o.path, "{seriesName}") {
		ids[1] = "invoices"
	}
	if strings.Contains(o.path, "{senderId}") {
		ids[1] = "snd_1"
	}
	if strings.Contains(o.path, "{versionId}") {
		ids[3] = "ver_1"
	}
	if strings.Contains(o.path, "{targetId}") {
		ids[2+strings.Count(o.path, "{outputId}")] = "tgt_1"
	}
	if strings.Contains(o.path, "{receiverId}") {
		ids[2] = "rcv_1"
	}
	if strings.Contains(o.path, "{scheduleId}") {
		ids[2] = "sch_1"
	}
	if o.id == "postSourceData" {
		ids[1] = address
	}
	var args []reflect.Value
	for i := range method.Type().NumIn() {
		switch in := method.Type().In(i); {
		case in == reflect.TypeFor[context.Context]():
			args = append(args, reflect.ValueOf(ctx))
		case in == reflect.TypeFor[io.Writer]():
			args = append(args, reflect.ValueOf(io.Discard))
		case in.Kind() == reflect.String && ids[i] != "":
			args = append(args, reflect.ValueOf(ids[i]))
		case in.Kind() == reflect.Interface || in == reflect.TypeFor[[]byte]():
			args = append(args, reflect.ValueOf([]byte(`{"a": 1}`)))
		default:
			args = append(args, filled(in))
		}
	}
	out := method.Call(args)
	if len(out) == 1 && out[0].Type().CanSeq2() {
		for _, err := range out[0].Seq2() {
			return err.Interface().(error)
		}
		return nil
	}
	err, _ := out[len(out)-1].Interface().(error)
	return err
}

// filled is a value whose every field is set, so that nothing is left out for being empty.
func filled(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Struct:
		if t.PkgPath() == "time" {
			return v
		}
		for i := range t.NumField() {
			v.Field(i).Set(filled(t.Field(i).Type))
		}
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(filled(t.Elem()))
	case reflect.Slice:
		if t == reflect.TypeFor[json.RawMessage]() {
			return reflect.ValueOf(json.RawMessage(`{}`))
		}
		v.Set(reflect.Append(v, filled(t.Elem())))
	case reflect.String:
		v.SetString("x")
	case reflect.Int:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	}
	return v
}

// Fields that the contract has and a type does not would be lost without a word; fields
// that it does not have would be empty for ever.
func TestTypesHaveTheFieldsOfTheContract(t *testing.T) {
	t.Parallel()
	document, all := contract(t)
	x := comparison{t: t, document: document}
	for _, o := range all {
		method, ok := reflect.TypeFor[*client.Client]().MethodByName(methods[o.id])
		if !ok || o.id == "postSourceData" {
			continue
		}
		if o.answer != nil {
			x.answer(o.id, o.answer, answerOf(method.Type.Out(0)))
		}
		if last := method.Type.In(method.Type.NumIn() - 1); o.request != nil && last.Kind() == reflect.Struct {
			x.request(o.id, o.request, last)
		}
	}
	for _, name := range []string{"DocumentsCreated", "DocumentFailed", "WorkflowTest"} {
		x.some = true
		x.answer(name, object{"$ref": "#/components/schemas/" + name}, reflect.TypeFor[client.SignedEvent]())
	}
}

// answerOf is what a method answers with: of a list, the list.
func answerOf(out reflect.Type) reflect.Type {
	if out.Kind() == reflect.Func && out.CanSeq2() {
		return reflect.SliceOf(out.In(0).In(0))
	}
	return out
}

var _ iter.Seq2[client.Workflow, error] // what lists are

// A comparison is that of types with schemas.
type comparison struct {
	t        *testing.T
	document object
	some     bool // the type may have more fields, which other schemas have
}

// answer compares a schema with the type that answers are read into.
func (x comparison) answer(at string, schema object, of reflect.Type) {
	schema, null := x.plain(schema)
	if null && of.Kind() != reflect.Pointer && of.Kind() != reflect.Slice {
		x.t.Errorf("%s may be null, and is read into %v", at, of)
	}
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	properties := x.properties(schema)
	switch {
	case of == reflect.TypeFor[json.RawMessage](): // kept as it was sent, as an event's body is
	case len(properties) > 0:
		x.fields(at, properties, of)
	case schema["type"] == "array" && of.Kind() == reflect.Slice:
		x.answer(at+"[]", schema["items"].(object), of.Elem())
	case of.Kind() == reflect.Map && schema["additionalProperties"] != nil:
		x.answer(at+"{}", schema["additionalProperties"].(object), of.Elem())
	case x.is(schema, of):
	default:
		x.t.Errorf("%s is %v %v in the contract, and is read into %v", at, schema["type"], schema["format"], of)
	}
}

func (x comparison) fields(at string, properties map[string]object, of reflect.Type) {
	if of.Kind() != reflect.Struct {
		x.t.Errorf("%s is an object in the contract, and is read into %v", at, of)
		return
	}
	there := fieldsOf(of)
	for name, schema := range properties {
		field, ok := there[name]
		if !ok {
			x.t.Errorf("%s.%s is in the contract, and not in %v", at, name, of)
			continue
		}
		x.answer(at+"."+name, schema, field)
	}
	for name := range there {
		if _, ok := properties[name]; !ok && !x.some {
			x.t.Errorf("%s.%s is in %v, and not in the contract", at, name, of)
		}
	}
}

// request checks that a body has no field but those of the contract, and those that the
// contract names outright.
func (x comparison) request(at string, schema object, of reflect.Type) {
	schema, _ = x.plain(schema)
	properties, patterns := x.properties(schema), ""
	for pattern := range mapOf(schema["patternProperties"]) {
		patterns += strings.Trim(strings.ReplaceAll(strings.Trim(pattern, "^$"), "(", ""), ")") + "|"
	}
	there := fieldsOf(of)
	for name, field := range there {
		of, ok := properties[name]
		if !ok && !slices.Contains(strings.Split(patterns, "|"), name) {
			x.t.Errorf("%s: the field %s is not in the contract", at, name)
		}
		if field.Kind() == reflect.Pointer {
			field = field.Elem()
		}
		if ok && field.Kind() == reflect.Struct && field.PkgPath() != "time" {
			x.request(at+"."+name, of, field)
		}
	}
	for name := range properties {
		if _, ok := there[name]; !ok {
			x.t.Errorf("%s: %v lacks the field %s", at, of, name)
		}
	}
}

func mapOf(v any) object {
	m, _ := v.(object)
	return m
}

// plain is a schema without what it refers to, and whether null is one of its values.
func (x comparison) plain(schema object) (_ object, null bool) {
	schema = resolve(x.document, schema)
	for _, choice := range []string{"oneOf", "anyOf"} {
		options, ok := schema[choice].([]any)
		if !ok {
			continue
		}
		for _, o := range options {
			if one := resolve(x.document, o.(object)); one["type"] == "null" {
				null = true
			} else {
				inner, innerNull := x.plain(one)
				schema, null = inner, null || innerNull
			}
		}
	}
	if types, ok := schema["type"].([]any); ok {
		copied := object{}
		for k, v := range schema {
			copied[k] = v
		}
		for _, one := range types {
			if one == "null" {
				null = true
			} else {
				copied["type"] = one
			}
		}
		schema = copied
	}
	return schema, null
}

// properties are those of a schema and of the schemas that it is made of.
func (x comparison) properties(schema object) map[string]object {
	all := map[string]object{}
	for _, part := range append([]any{schema}, listOf(schema["allOf"])...) {
		resolved := resolve(x.document, part.(object))
		for name, of := range mapOf(resolved["properties"]) {
			all[name] = of.(object)
		}
		for _, inner := range listOf(resolved["allOf"]) {
			for name, of := range x.properties(resolve(x.document, inner.(object))) {
				all[name] = of
			}
		}
	}
	return all
}

func listOf(v any) []any {
	l, _ := v.([]any)
	return l
}

// is tells whether a type holds the values of a schema that is no object with fields.
func (x comparison) is(schema object, of reflect.Type) bool {
	switch schema["type"] {
	case "string":
		if schema["format"] == "date-time" {
			return of.PkgPath() == "time"
		}
		return of.Kind() == reflect.String || schema["contentEncoding"] == "base64" && of == reflect.TypeFor[[]byte]()
	case "integer":
		return of.Kind() == reflect.Int
	case "number":
		return of.Kind() == reflect.Float64
	case "boolean":
		return of.Kind() == reflect.Bool
	case "object":
		return of == reflect.TypeFor[json.RawMessage]()
	}
	return false
}

// fieldsOf are the fields of a type by their names in JSON.
func fieldsOf(of reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for f := range slices.Values(reflect.VisibleFields(of)) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			all[name] = f.Type
		}
	}
	return all
}
