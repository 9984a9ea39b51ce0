package dml

import (
	"slices"
	"testing"
)

func TestEachLossIsGatheredOnce(t *testing.T) {
	t.Parallel()
	var l Losses
	for _, loss := range []Loss{LossInk, LossWarp, LossInk, LossWarp, LossObject} {
		l.Add(loss)
	}
	if want := (Losses{LossInk, LossWarp, LossObject}); !slices.Equal(l, want) {
		t.Errorf("got %q, want %q", l, want)
	}
}

func TestEffectsAreALossWhereThereAreAny(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]Losses{
		``:                                     nil,
		`<a:effectLst/>`:                       nil, // switched off
		`<a:effectLst> </a:effectLst>`:         nil,
		`<a:effectDag/>`:                       nil,
		`<a:solidFill/>`:                       nil,
		`<a:effectLst><a:glow/></a:effectLst>`: {LossEffects},
		`<a:effectDag><a:blur/></a:effectDag>`: {LossEffects},
		`<a:scene3d/>`:                         {LossEffects},
		`<a:sp3d/>`:                            {LossEffects},
		`<a:effectLst><a:glow/></a:effectLst><a:effectDag><a:blur/></a:effectDag><a:scene3d/><a:sp3d/>`: {LossEffects},
	} {
		var got Losses
		got.OfEffects(parse(t, `<p:spPr>`+source+`</p:spPr>`))
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
	var got Losses
	if got.OfEffects(nil); len(got) != 0 {
		t.Errorf("without properties: got %q, want none", got)
	}
}

func TestWarpedTextIsALoss(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]Losses{
		``: nil, `<a:normAutofit/>`: nil, `<a:prstTxWarp prst="textNoShape"/>`: nil, `<a:prstTxWarp/>`: nil,
		`<a:prstTxWarp prst="textArchUp"/>`: {LossWarp},
	} {
		var got Losses
		got.OfText(parse(t, `<a:bodyPr>`+source+`</a:bodyPr>`))
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}
