package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// swapped are the operators that take each other's place.
var swapped = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.MUL_ASSIGN: token.QUO_ASSIGN, token.QUO_ASSIGN: token.MUL_ASSIGN,
	token.INC: token.DEC, token.DEC: token.INC,
}

// visit plants what can be planted at a node; false: nothing below it.
func (p *planter) visit(n ast.Node, above []ast.Node) bool {
	if p.unseen[n] {
		return false
	}
	switch n := n.(type) {
	case *ast.ImportSpec, *ast.TypeSpec, *ast.FuncType, *ast.ArrayType, *ast.StructType, *ast.InterfaceType:
		return false
	case *ast.FuncDecl:
		return !writesErrorText(n)
	case *ast.CallExpr:
		p.passOver(n)
	case *ast.IfStmt:
		p.visitIf(n)
	case *ast.ForStmt:
		p.negate(n.Cond)
	case *ast.SwitchStmt:
		if n.Tag == nil {
			p.negateCases(n.Body)
		}
		p.removeClauses(n.Body)
	case *ast.TypeSwitchStmt:
		p.removeClauses(n.Body)
	case *ast.SelectStmt:
		p.removeClauses(n.Body)
	case *ast.BinaryExpr:
		p.swapBetween(n, above[len(above)-1])
	case *ast.IncDecStmt:
		p.swap(n.TokPos, n.Tok, p.text(n))
	case *ast.AssignStmt:
		p.visitAssignment(n)
	case *ast.ExprStmt:
		p.dropCall(n)
	case *ast.ReturnStmt:
		p.returnZero(n, above)
	case *ast.BasicLit:
		p.changeNumber(n)
	case *ast.Ident:
		p.changeTruth(n)
	}
	return true
}

func (p *planter) visitIf(n *ast.IfStmt) {
	if n.Else == nil && p.onlyLogs(n.Body) {
		p.unseen[n.Cond] = true // it decides on what nobody may notice
		return
	}
	p.negate(n.Cond)
	if n.Else == nil {
		return
	}
	inside := n.Else.Pos()
	if block, ok := n.Else.(*ast.BlockStmt); ok {
		if len(block.List) == 0 {
			return
		}
		inside = block.List[0].Pos()
	}
	p.replaceReached(n.Body.End(), n.Else.End(), "", "else removed: "+shorten(p.text(n.Else)), inside)
}

func (p *planter) negate(condition ast.Expr) {
	if condition == nil {
		return
	}
	p.replace(condition.Pos(), condition.End(), "!("+p.text(condition)+")", "condition negated: "+shorten(p.text(condition)))
}

// negateCases negates the conditions of a switch over nothing.
func (p *planter) negateCases(body *ast.BlockStmt) {
	for _, clause := range body.List {
		for _, condition := range clause.(*ast.CaseClause).List {
			p.negate(condition)
		}
	}
}

// removeClauses removes each case of a switch or a select that has others.
func (p *planter) removeClauses(body *ast.BlockStmt) {
	if len(body.List) < 2 {
		return
	}
	hasDefault := slices.ContainsFunc(body.List, isDefault)
	for _, clause := range body.List {
		statements := statementsOf(clause)
		if len(statements) == 0 && (!hasDefault || isDefault(clause)) {
			continue // nothing is done with it or without it
		}
		inside := clause.Pos()
		if len(statements) > 0 {
			inside = statements[0].Pos()
		}
		p.replaceReached(clause.Pos(), clause.End(), "", "case removed: "+shorten(p.text(clause)), inside)
	}
}

func isDefault(clause ast.Stmt) bool {
	switch c := clause.(type) {
	case *ast.CaseClause:
		return c.List == nil
	case *ast.CommClause:
		return c.Comm == nil
	}
	return false
}

func statementsOf(clause ast.Stmt) []ast.Stmt {
	switch c := clause.(type) {
	case *ast.CaseClause:
		return c.Body
	case *ast.CommClause:
		return c.Body
	}
	return nil
}

func (p *planter) swapBetween(n *ast.BinaryExpr, parent ast.Node) {
	switch n.Op {
	case token.EQL, token.NEQ:
		if isConditionOf(n, parent) {
			return // the same as the condition negated
		}
	case token.ADD:
		if isText(n.X) || isText(n.Y) {
			return
		}
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		if p.isBound(n, parent) {
			return
		}
	}
	p.swap(n.OpPos, n.Op, p.text(n))
}

func isConditionOf(n ast.Expr, parent ast.Node) bool {
	switch parent := parent.(type) {
	case *ast.IfStmt:
		return parent.Cond == n
	case *ast.ForStmt:
		return parent.Cond == n
	case *ast.CaseClause:
		return slices.Contains(parent.List, n)
	}
	return false
}

func isText(e ast.Expr) bool {
	literal, ok := e.(*ast.BasicLit)
	return ok && literal.Kind == token.STRING
}

func (p *planter) swap(at token.Pos, op token.Token, within string) {
	if other, ok := swapped[op]; ok {
		p.replace(at, at+token.Pos(len(op.String())), other.String(), fmt.Sprintf("%s becomes %s in %s", op, other, shorten(within)))
	}
}

func (p *planter) visitAssignment(n *ast.AssignStmt) {
	p.swap(n.TokPos, n.Tok, p.text(n))
	if n.Tok == token.DEFINE || !slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return p.text(e) != "_" }) {
		return
	}
	// What was to be assigned is still evaluated: the compiler asks for its use.
	blanks := strings.Repeat(", _", len(n.Lhs))[2:]
	values := string(p.source[p.offset(n.Rhs[0].Pos()):p.offset(n.Rhs[len(n.Rhs)-1].End())])
	p.replace(n.Pos(), n.End(), blanks+" = "+values, "assignment dropped: "+shorten(p.text(n)))
}

// dropCall drops a call that stands alone.
func (p *planter) dropCall(n *ast.ExprStmt) {
	call, ok := n.X.(*ast.CallExpr)
	if !ok || p.isLog(call) || p.changesNothing(call) {
		return
	}
	var uses []string
	for _, argument := range call.Args {
		if name, ok := argument.(*ast.Ident); ok && name.Name != "nil" {
			uses = append(uses, "_ = "+name.Name)
		}
	}
	p.replace(n.Pos(), n.End(), strings.Join(uses, "; "), "call dropped: "+shorten(p.text(n)))
}

// returnZero has a function return the zero values of its results.
func (p *planter) returnZero(n *ast.ReturnStmt, above []ast.Node) {
	results := resultsOf(above)
	if len(n.Results) == 0 || results == nil || !slices.ContainsFunc(n.Results, func(e ast.Expr) bool { return !p.isZero(e) }) {
		return
	}
	var zeros []string
	for _, field := range results.List {
		for range max(1, len(field.Names)) {
			zeros = append(zeros, "*new("+p.text(field.Type)+")")
		}
	}
	var uses []string
	switch {
	case len(n.Results) < len(zeros): // of one call
		uses = []string{strings.Repeat(", _", len(zeros))[2:] + " = " + p.text(n.Results[0])}
	default:
		for _, result := range n.Results {
			if p.text(result) != "nil" {
				uses = append(uses, "_ = "+p.text(result))
			}
		}
	}
	p.replace(n.Pos(), n.End(), strings.Join(append(uses, "return "+strings.Join(zeros, ", ")), "; "), "zero for "+shorten(p.text(n)))
}

// resultsOf are the results of the innermost function.
func resultsOf(above []ast.Node) *ast.FieldList {
	for _, n := range slices.Backward(above) {
		switch n := n.(type) {
		case *ast.FuncLit:
			return n.Type.Results
		case *ast.FuncDecl:
			return n.Type.Results
		}
	}
	return nil
}

func (p *planter) isZero(e ast.Expr) bool {
	if literal, ok := e.(*ast.CompositeLit); ok {
		_, list := literal.Type.(*ast.ArrayType)
		_, table := literal.Type.(*ast.MapType)
		return len(literal.Elts) == 0 && !list && !table
	}
	return slices.Contains([]string{"nil", "false", "0", `""`, "``"}, p.text(e))
}

// changeNumber adds one. Modes of files, which are octal, are no numbers.
func (p *planter) changeNumber(n *ast.BasicLit) {
	with := ""
	switch n.Kind {
	case token.INT:
		if strings.HasPrefix(n.Value, "0o") {
			return
		}
		value, err := strconv.ParseUint(n.Value, 0, 63)
		if err != nil {
			return
		}
		with = strconv.FormatUint(value+1, 10)
	case token.FLOAT:
		value, err := strconv.ParseFloat(n.Value, 64)
		if err != nil {
			return
		}
		with = strconv.FormatFloat(value+1, 'g', -1, 64)
	default:
		return
	}
	p.replace(n.Pos(), n.End(), with, n.Value+" becomes "+with)
}

func (p *planter) changeTruth(n *ast.Ident) {
	if other, ok := map[string]string{"true": "false", "false": "true"}[n.Name]; ok {
		p.replace(n.Pos(), n.End(), other, n.Name+" becomes "+other)
	}
}
