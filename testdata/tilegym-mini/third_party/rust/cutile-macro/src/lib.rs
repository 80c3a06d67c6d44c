//! CPU stand-in for the DSL's attribute. It keeps the source of a kernel and
//! turns it into plain Rust:
//!
//! * a shape in a type, `{ [BM, BN] }`, becomes the marker of its rank;
//! * `const BM: i32` of an entry becomes a parameter of the body, because there
//!   is no JIT here and a launch names its constants at run time;
//! * a launcher of the entry's name takes a `DevicePointer<E>` for each
//!   `*mut E`. As in the real crate, only an attribute with an argument list,
//!   `#[cutile::entry(...)]`, makes one.

use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

/// Applied to a module of kernels.
#[proc_macro_attribute]
pub fn module(_options: TokenStream, item: TokenStream) -> TokenStream {
    item.into_iter()
        .map(|token| match token {
            TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => {
                braces(items(body.stream()), body.span()).into()
            }
            other => other,
        })
        .collect()
}

fn items(module: TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    let mut item: Vec<TokenTree> = Vec::new();
    for token in module {
        let ends = match &token {
            TokenTree::Punct(p) => p.as_char() == ';',
            TokenTree::Group(g) => {
                g.delimiter() == Delimiter::Brace && item.iter().any(|t| is_ident(t, "fn"))
            }
            _ => false,
        };
        item.push(token);
        if ends {
            out.extend(convert_item(core::mem::take(&mut item)));
        }
    }
    if let Some(first) = item.first() {
        out.extend(error(
            first.span(),
            "the CPU stand-in takes functions, `use` and `const` items in a kernel module",
        ));
    }
    out
}

fn convert_item(item: Vec<TokenTree>) -> TokenStream {
    match Function::parse(&item) {
        Ok(Some(function)) => function.convert().unwrap_or_else(|e| e),
        Ok(None) => shapes(item.into_iter().collect()),
        Err(e) => e,
    }
}

/// One generic parameter.
enum Generic {
    Type { name: Ident, bounds: TokenStream },
    Const { name: Ident },
}

/// One value parameter.
struct Param {
    name: Ident,
    /// The element type of a `*mut` parameter.
    pointee: Option<TokenStream>,
    ty: TokenStream,
}

struct Function {
    entry: bool,
    name: Ident,
    generics: Vec<Generic>,
    params: Vec<Param>,
    returns: TokenStream,
    body: Group,
}

impl Function {
    /// Reads a function item; None for any other item. An entry without an
    /// argument list is read as a function that makes no launcher.
    fn parse(item: &[TokenTree]) -> Result<Option<Function>, TokenStream> {
        let Some(at) = item.iter().position(|t| is_ident(t, "fn")) else {
            return Ok(None);
        };
        let entry = item[..at].iter().any(|t| match t {
            TokenTree::Group(g) if g.delimiter() == Delimiter::Bracket => is_entry(g),
            _ => false,
        });
        let TokenTree::Ident(name) = &item[at + 1] else {
            return Err(error(item[at].span(), "expected a function name"));
        };
        let mut rest = at + 2;
        let mut generics = Vec::new();
        if is_punct(&item[rest], '<') {
            let mut depth = 0;
            let start = rest + 1;
            loop {
                depth +=
                    i32::from(is_punct(&item[rest], '<')) - i32::from(is_punct(&item[rest], '>'));
                rest += 1;
                if depth == 0 {
                    break;
                }
            }
            for part in split(&item[start..rest - 1]) {
                generics.push(generic(part)?);
            }
        }
        let TokenTree::Group(list) = &item[rest] else {
            return Err(error(name.span(), "expected a parameter list"));
        };
        let list: Vec<TokenTree> = list.stream().into_iter().collect();
        let params = split(&list)
            .into_iter()
            .map(param)
            .collect::<Result<_, _>>()?;
        let Some(TokenTree::Group(body)) = item.last() else {
            return Err(error(name.span(), "expected a function body"));
        };
        Ok(Some(Function {
            entry,
            name: name.clone(),
            generics,
            params,
            returns: item[rest + 1..item.len() - 1].iter().cloned().collect(),
            body: body.clone(),
        }))
    }

    fn convert(&self) -> Result<TokenStream, TokenStream> {
        let mut out = self.device()?;
        if self.entry {
            out.extend(self.launcher()?);
        }
        Ok(out)
    }

    fn device_name(&self) -> Ident {
        if self.entry {
            Ident::new(&format!("{}_on_cpu", self.name), self.name.span())
        } else {
            self.name.clone()
        }
    }

    fn type_generics(&self) -> TokenStream {
        let mut list = TokenStream::new();
        for generic in &self.generics {
            if let Generic::Type { name, bounds } = generic {
                list.extend(one(name.clone()));
                list.extend(bounds.clone());
                list.extend(code(" , "));
            }
        }
        list
    }

    /// The body as a function over tiles.
    fn device(&self) -> Result<TokenStream, TokenStream> {
        let mut params = TokenStream::new();
        for generic in &self.generics {
            if let Generic::Const { name } = generic {
                if !self.entry {
                    return Err(error(
                        name.span(),
                        "the CPU stand-in takes constants on entries only",
                    ));
                }
                params.extend(one(name.clone()));
                params.extend(code(": i32,"));
            }
        }
        for param in &self.params {
            params.extend(one(param.name.clone()));
            params.extend(code(":"));
            params.extend(shapes(param.ty.clone()));
            params.extend(code(","));
        }
        let mut out = code("#[allow(non_snake_case, unused_unsafe)] unsafe fn");
        out.extend(one(self.device_name()));
        out.extend(code("<"));
        out.extend(self.type_generics());
        out.extend(code(">"));
        out.extend(one(Group::new(Delimiter::Parenthesis, params)));
        out.extend(shapes(self.returns.clone()));
        out.extend(one(braces(shapes(self.body.stream()), self.body.span())));
        Ok(out)
    }

    /// The host function of the entry's own name.
    fn launcher(&self) -> Result<TokenStream, TokenStream> {
        let mut params = TokenStream::new();
        let mut arguments = TokenStream::new();
        let mut declared = TokenStream::new();
        let mut constants = 0;
        for generic in &self.generics {
            match generic {
                Generic::Const { name } => {
                    declared.extend(code(&format!(
                        "::cutile::compiler::Generic::Const(\"{name}\"),"
                    )));
                    arguments.extend(code(&format!("constants[{constants}],")));
                    constants += 1;
                }
                Generic::Type { name, .. } => {
                    declared.extend(code(&format!(
                        "::cutile::compiler::Generic::Type(<{name} as ::cutile::core::ElementType>::NAME),"
                    )));
                }
            }
        }
        for param in &self.params {
            params.extend(one(param.name.clone()));
            params.extend(code(":"));
            arguments.extend(one(param.name.clone()));
            match &param.pointee {
                Some(element) => {
                    params.extend(code("::cutile::DevicePointer<"));
                    params.extend(element.clone());
                    params.extend(code(">"));
                    arguments.extend(code(".as_mut_ptr()"));
                }
                None => params.extend(param.ty.clone()),
            }
            params.extend(code(","));
            arguments.extend(code(","));
        }
        let mut out = code("pub unsafe fn");
        out.extend(one(self.name.clone()));
        out.extend(code("<"));
        out.extend(self.type_generics());
        out.extend(code(">"));
        out.extend(one(Group::new(Delimiter::Parenthesis, params)));
        out.extend(code("-> ::cutile::tile_kernel::Launch"));
        let mut call = one(self.device_name());
        call.extend(one(Group::new(Delimiter::Parenthesis, arguments)));
        let mut unsafe_call = code("unsafe");
        unsafe_call.extend(one(braces(call, Span::call_site())));
        let mut launch_arguments = code(&format!("\"{}_entry\", vec!", self.name));
        launch_arguments.extend(one(Group::new(Delimiter::Bracket, declared)));
        launch_arguments.extend(code(if constants == 0 {
            ", move |_: &[i32]|"
        } else {
            ", move |constants: &[i32]|"
        }));
        launch_arguments.extend(unsafe_call);
        let mut body = code("::cutile::tile_kernel::Launch::new");
        body.extend(one(Group::new(Delimiter::Parenthesis, launch_arguments)));
        out.extend(one(braces(body, Span::call_site())));
        Ok(out)
    }
}

fn generic(part: &[TokenTree]) -> Result<Generic, TokenStream> {
    match part {
        [constant, TokenTree::Ident(name), ..] if is_ident(constant, "const") => {
            Ok(Generic::Const { name: name.clone() })
        }
        [TokenTree::Ident(name), bounds @ ..] => Ok(Generic::Type {
            name: name.clone(),
            bounds: bounds.iter().cloned().collect(),
        }),
        _ => Err(error(part[0].span(), "expected a type or a constant")),
    }
}

fn param(part: &[TokenTree]) -> Result<Param, TokenStream> {
    let [TokenTree::Ident(name), colon, ty @ ..] = part else {
        return Err(error(part[0].span(), "expected `name: type`"));
    };
    if !is_punct(colon, ':') {
        return Err(error(colon.span(), "expected `name: type`"));
    }
    let pointee = match ty {
        [star, mutable, element @ ..] if is_punct(star, '*') && is_ident(mutable, "mut") => {
            Some(element.iter().cloned().collect())
        }
        [reference, ..] if is_punct(reference, '&') => {
            return Err(error(
                name.span(),
                "the CPU stand-in runs pointer kernels only",
            ));
        }
        _ => None,
    };
    Ok(Param {
        name: name.clone(),
        pointee,
        ty: ty.iter().cloned().collect(),
    })
}

/// Whether an attribute is `cutile::entry(...)`.
fn is_entry(attribute: &Group) -> bool {
    let tokens: Vec<TokenTree> = attribute.stream().into_iter().collect();
    match tokens.as_slice() {
        [krate, a, b, entry, TokenTree::Group(list)] => {
            is_ident(krate, "cutile")
                && is_punct(a, ':')
                && is_punct(b, ':')
                && is_ident(entry, "entry")
                && list.delimiter() == Delimiter::Parenthesis
        }
        _ => false,
    }
}

/// Replaces each `{ [..] }` by the marker of its rank.
fn shapes(tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Group(group) => match rank(&group) {
                Some(rank) => code(&format!("::cutile::core::Rank{rank}")),
                None => {
                    let mut inner = Group::new(group.delimiter(), shapes(group.stream()));
                    inner.set_span(group.span());
                    one(inner)
                }
            },
            other => TokenStream::from(other),
        })
        .collect()
}

/// The rank of a shape in a type, None for any other group.
fn rank(group: &Group) -> Option<usize> {
    if group.delimiter() != Delimiter::Brace {
        return None;
    }
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Group(list)] if list.delimiter() == Delimiter::Bracket => {
            let list: Vec<TokenTree> = list.stream().into_iter().collect();
            Some(split(&list).len())
        }
        _ => None,
    }
}

/// The parts between commas outside of `<...>`; a trailing comma adds none.
fn split(tokens: &[TokenTree]) -> Vec<&[TokenTree]> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (i, token) in tokens.iter().enumerate() {
        depth += i32::from(is_punct(token, '<')) - i32::from(is_punct(token, '>'));
        if depth == 0 && is_punct(token, ',') {
            parts.push(&tokens[start..i]);
            start = i + 1;
        }
    }
    if start < tokens.len() {
        parts.push(&tokens[start..]);
    }
    parts
}

fn is_ident(token: &TokenTree, name: &str) -> bool {
    matches!(token, TokenTree::Ident(i) if i.to_string() == name)
}

fn is_punct(token: &TokenTree, c: char) -> bool {
    matches!(token, TokenTree::Punct(p) if p.as_char() == c)
}

fn one(token: impl Into<TokenTree>) -> TokenStream {
    token.into().into()
}

fn braces(content: TokenStream, span: Span) -> Group {
    let mut group = Group::new(Delimiter::Brace, content);
    group.set_span(span);
    group
}

/// Tokens of text that this crate wrote.
fn code(text: &str) -> TokenStream {
    text.parse().expect("text of this crate is Rust")
}

fn error(span: Span, message: &str) -> TokenStream {
    code(&format!("::core::compile_error! {{ {message:?} }}"))
        .into_iter()
        .map(|mut token| {
            token.set_span(span);
            token
        })
        .collect()
}
