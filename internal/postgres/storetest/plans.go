package storetest

// A PlanNode is a step of a plan that was carried out.
type PlanNode struct {
	Type     string     `json:"Node Type"`
	Relation string     `json:"Relation Name"`
	Rows     float64    `json:"Actual Rows"`
	Loops    float64    `json:"Actual Loops"`
	Removed  float64    `json:"Rows Removed by Filter"`
	Rechecks float64    `json:"Rows Removed by Index Recheck"`
	Below    []PlanNode `json:"Plans"`
}

// Read is how many rows of tables a plan looked at.
func (n PlanNode) Read() (rows float64) {
	if n.Relation != "" {
		rows = n.Loops * (n.Rows + n.Removed + n.Rechecks)
	}
	for _, below := range n.Below {
		rows += below.Read()
	}
	return rows
}
