//! The names that an expression takes from outside: those that no `let`, pattern, closure or item
//! of its own brings into scope.

use syn::visit::{self, Visit};
use syn::{
    Arm, Block, Expr, ExprClosure, ExprForLoop, ExprIf, ExprLet, ExprPath, ExprWhile, Ident, Item,
    ItemConst, ItemFn, ItemStatic, Local, PatIdent, Stmt,
};

/// In the order in which they stand. What a macro's parentheses hold is not read.
pub(super) fn names(expression: &Expr) -> Vec<&Ident> {
    let mut free = Free::default();
    free.visit_expr(expression);
    free.names
}

#[derive(Default)]
struct Free<'ast> {
    /// What is in scope, the innermost last.
    bound: Vec<&'ast Ident>,
    names: Vec<&'ast Ident>,
}

impl<'ast> Free<'ast> {
    /// What is bound inside is forgotten behind it.
    fn scope(&mut self, inside: impl FnOnce(&mut Self)) {
        let outside = self.bound.len();
        inside(self);
        self.bound.truncate(outside);
    }
}

impl<'ast> Visit<'ast> for Free<'ast> {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        if let Some(name) = path.path.get_ident()
            && !self.bound.contains(&name)
        {
            self.names.push(name);
        }
    }

    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.bound.push(&pattern.ident);
        visit::visit_pat_ident(self, pattern);
    }

    /// Items are known before they stand.
    fn visit_block(&mut self, block: &'ast Block) {
        self.scope(|free| {
            free.bound.extend(block.stmts.iter().filter_map(value_of_item));
            visit::visit_block(free, block);
        });
    }

    /// Items see nothing of what is around them.
    fn visit_item(&mut self, _: &'ast Item) {}

    /// The value comes first: `let id = id;` takes one from outside.
    fn visit_local(&mut self, local: &'ast Local) {
        if let Some(init) = &local.init {
            self.visit_local_init(init);
        }
        self.visit_pat(&local.pat);
    }

    fn visit_expr_let(&mut self, condition: &'ast ExprLet) {
        self.visit_expr(&condition.expr);
        self.visit_pat(&condition.pat);
    }

    fn visit_expr_if(&mut self, branches: &'ast ExprIf) {
        self.scope(|free| {
            free.visit_expr(&branches.cond);
            free.visit_block(&branches.then_branch);
        });
        if let Some((_, otherwise)) = &branches.else_branch {
            self.visit_expr(otherwise);
        }
    }

    fn visit_expr_while(&mut self, one: &'ast ExprWhile) {
        self.scope(|free| visit::visit_expr_while(free, one));
    }

    fn visit_expr_for_loop(&mut self, one: &'ast ExprForLoop) {
        self.visit_expr(&one.expr);
        self.scope(|free| {
            free.visit_pat(&one.pat);
            free.visit_block(&one.body);
        });
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        self.scope(|free| visit::visit_arm(free, arm));
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        self.scope(|free| visit::visit_expr_closure(free, closure));
    }
}

/// The name of an item that can stand where a value is wanted.
fn value_of_item(statement: &Stmt) -> Option<&Ident> {
    match statement {
        Stmt::Item(
            Item::Const(ItemConst { ident, .. }) | Item::Static(ItemStatic { ident, .. }),
        ) => Some(ident),
        Stmt::Item(Item::Fn(ItemFn { sig, .. })) => Some(&sig.ident),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of `id` and `other` come from outside.
    fn check(expression: &str, expected: &[&str]) {
        let parsed = syn::parse_str(expression).unwrap();
        let mut found: Vec<_> = names(&parsed).iter().map(ToString::to_string).collect();
        found.retain(|name| name == "id" || name == "other");
        assert_eq!(found, expected, "{expression}");
    }

    #[test]
    fn names_from_outside() {
        check("from(id)", &["id"]);
        check("id.life", &["id"]);
        check("config().id + id::WAIT", &[]);
        check("{ let life = id; life }", &["id"]);
        check("{ let id = id; id }", &["id"]);
        check("{ { let id = 3; } id }", &["id"]);
        check("{ let Some(id) = other else { return id }; id }", &["other", "id"]);
        check("(|id| id)(id)", &["id"]);
        check("|value| value.life.min(id)", &["id"]);
        check("if let Some(id) = other { id } else { id }", &["other", "id"]);
        check("match other { Some(id) if id > 1 => id, _ => id }", &["other", "id"]);
        check("{ for id in other { f(id) } id }", &["other", "id"]);
    }

    #[test]
    fn names_of_its_own() {
        check("{ let id = 3; from(id) }", &[]);
        check("{ let (id, Pair { other, .. }) = f(); id + other }", &[]);
        check("{ let id = 3; { let other = id; other } }", &[]);
        check("{ let life = id + 1; const id: u64 = 3; life }", &[]);
        check("{ fn id() -> u64 { other } id() }", &[]);
        check("|id: &u32| id.life", &[]);
        check("{ while let Some(id) = next() { f(id) } }", &[]);
        check("{ if let Some(id) = next() && id > 1 { id } else { 1 } }", &[]);
        check("match f() { id @ 1..3 => id, other => other }", &[]);
        check("{ loop { let id = 3; break id } }", &[]);
    }
}
