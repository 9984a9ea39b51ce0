package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// passOver marks what no test could notice, or should: the arguments of logs
// and of error texts, and how much room is made in advance.
func (p *planter) passOver(call *ast.CallExpr) {
	switch {
	case p.isLog(call), p.changesNothing(call), slices.Contains([]string{"fmt.Errorf", "errors.New", "panic"}, p.text(call.Fun)):
		for _, argument := range call.Args {
			p.unseen[argument] = true
		}
	case p.text(call.Fun) == "make":
		for _, room := range capacities(call.Args) {
			p.unseen[room] = true
		}
	}
}

// capacities are those arguments of make that say how much will come.
func capacities(arguments []ast.Expr) []ast.Expr {
	first := 2
	if _, ok := arguments[0].(*ast.MapType); ok {
		first = 1
	}
	return arguments[min(first, len(arguments)):]
}

// isLog tells calls like log.Info and s.log.Error.
func (p *planter) isLog(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	on := strings.ToLower(p.text(method.X))
	return strings.HasSuffix(on, "log") || strings.HasSuffix(on, "logger")
}

func (p *planter) onlyLogs(block *ast.BlockStmt) bool {
	return len(block.List) > 0 && !slices.ContainsFunc(block.List, func(s ast.Stmt) bool {
		statement, ok := s.(*ast.ExprStmt)
		if !ok {
			return true
		}
		call, ok := statement.X.(*ast.CallExpr)
		return !ok || !p.isLog(call)
	})
}

// changesNothing tells calls that make room in advance, or keep something
// alive.
func (p *planter) changesNothing(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (method.Sel.Name == "Grow" || p.text(method) == "runtime.KeepAlive")
}

func writesErrorText(f *ast.FuncDecl) bool {
	return f.Recv != nil && f.Name.Name == "Error" && f.Type.Params.NumFields() == 0
}

// isBound tells the comparison of 'if a > b { a = b }': where both are equal it
// does not matter which one is taken.
func (p *planter) isBound(n *ast.BinaryExpr, parent ast.Node) bool {
	condition, ok := parent.(*ast.IfStmt)
	if !ok || condition.Cond != n || condition.Else != nil || len(condition.Body.List) != 1 {
		return false
	}
	set, ok := condition.Body.List[0].(*ast.AssignStmt)
	if !ok || set.Tok != token.ASSIGN || len(set.Lhs) != 1 || len(set.Rhs) != 1 {
		return false
	}
	to, from, x, y := p.text(set.Lhs[0]), p.text(set.Rhs[0]), p.text(n.X), p.text(n.Y)
	return to == x && from == y || to == y && from == x
}
