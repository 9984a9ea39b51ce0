package model

// everywhere lets every sender through, so that events are accepted as before.
var everywhere = []any{"0.0.0.0/0", "::/0"}

func (one *workflow) verificationWire() object {
	networks := []any{}
	if one.verified {
		networks = everywhere
	}
	return object{
		"scheme": nil, "secretCount": float64(0), "header": nil, "encoding": nil, "prefix": nil, "toleranceSeconds": nil, "networks": networks,
	}
}

func (w *model) getVerification() {
	c := w.caller()
	to := w.target(c)
	want, over := w.maySeePart(c, to)
	if !over {
		want = outcome{status: 200, body: to.workflow.verificationWire()}
	}
	w.do(w.part(c, "GET", to, "source/verification"), want)
}

// changeVerification sets what the source asks of senders, or has it ask nothing.
func (w *model) changeVerification() {
	c := w.caller()
	to := w.target(c)
	want, over := w.mayChange(c, to)
	if w.one("verification", "set", "remove") == "remove" {
		if !over {
			to.workflow.verified, to.workflow.moved = false, true
			want = outcome{status: 204}
		}
		w.do(w.part(c, "DELETE", to, "source/verification"), want)
		return
	}
	r := w.part(c, "POST", to, "source/verification")
	r.body = &body{text: `{"networks":["0.0.0.0/0","::/0"]}`}
	if !over {
		to.workflow.verified, to.workflow.moved = true, true
		want = outcome{status: 200, body: to.workflow.verificationWire()}
	}
	w.do(r, want)
}
