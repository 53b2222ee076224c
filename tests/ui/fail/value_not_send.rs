use herdless::cached;

#[derive(Clone)]
struct Row(std::rc::Rc<u32>);

#[cached(ttl = 300)]
async fn find(id: u32) -> Row {
    Row(id.into())
}

fn main() {}
