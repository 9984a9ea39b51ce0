package einvoice

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// MarshalJSON has the terms and groups under their numbers in EN 16931, those without
// content left out. Numbers keep their digits; the scheme of an identifier is its -1.
func (inv *Invoice) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	if err := writeGroup(&out, reflect.ValueOf(inv).Elem(), 0); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func writeGroup(out *bytes.Buffer, group reflect.Value, role int) error {
	out.WriteByte('{')
	if err := writeTerms(out, group, role); err != nil {
		return err
	}
	out.WriteByte('}')
	return nil
}

func writeTerms(out *bytes.Buffer, group reflect.Value, role int) error {
	for i := range group.NumField() {
		field, value := group.Type().Field(i), group.Field(i)
		numbers := strings.Fields(field.Tag.Get("bt"))
		if len(numbers) == 0 || value.IsZero() {
			continue
		}
		inner := roleWithin(field, role)
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		name := numbers[min(role, len(numbers)-1)]
		var err error
		switch v := value.Interface().(type) {
		case ID:
			if err = writeMember(out, name, v.Value); err == nil && v.Scheme != "" {
				err = writeMember(out, name+"-1", v.Scheme)
			}
		case Number:
			err = writeMember(out, name, json.Number(FormatNumber(v)))
		case string:
			err = writeMember(out, name, v)
		default:
			switch {
			case name == "inline":
				err = writeTerms(out, value, inner)
			case value.Kind() == reflect.Struct:
				startMember(out, name)
				err = writeGroup(out, value, inner)
			default:
				startMember(out, name)
				err = writeList(out, name, value, inner)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func writeList(out *bytes.Buffer, name string, list reflect.Value, role int) error {
	out.WriteByte('[')
	for i := range list.Len() {
		if i > 0 {
			out.WriteByte(',')
		}
		if id, ok := list.Index(i).Interface().(ID); ok {
			out.WriteByte('{')
			if err := writeMember(out, name, id.Value); err != nil {
				return err
			}
			if err := writeMember(out, name+"-1", id.Scheme); err != nil {
				return err
			}
			out.WriteByte('}')
		} else if err := writeGroup(out, list.Index(i), role); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	return nil
}

func startMember(out *bytes.Buffer, name string) {
	if last := out.Bytes()[out.Len()-1]; last != '{' {
		out.WriteByte(',')
	}
	out.WriteString(strconv.Quote(name) + ":")
}

func writeMember(out *bytes.Buffer, name string, value any) error {
	if value == "" {
		return nil
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return err
	}
	startMember(out, name)
	out.Write(encoded)
	return nil
}
