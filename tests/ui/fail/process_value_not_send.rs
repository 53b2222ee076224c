use herdless::cached;

#[derive(Clone)]
struct Row(std::rc::Rc<u32>);

#[cached(ttl = 300, scope = "process")]
async fn find(id: u32) -> Row {
    Row(id.into())
}

fn main() {}
