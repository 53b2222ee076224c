use herdless::cached;

#[derive(Clone)]
struct Row(u32);

struct Table;

impl Table {
    #[cached(ttl = 300, skip(self))]
    async fn find(&self, id: u32) -> Option<Row> {
        Some(Row(id))
    }
}

fn main() {}
