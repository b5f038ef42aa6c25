//! The output of a bench.

/// Checks that the lines of a bench add up: positions, then games, then the total.
pub fn check(lines: &[String]) {
    let (last, lines) = lines.split_last().unwrap();
    let total = last.strip_suffix(" nps").and_then(|line| line.split_once(" nodes ")).expect(last);
    let total: u64 = total.0.parse().unwrap();
    let (positions, games) = lines.split_at(lines.len() - 4);
    let count = |line: &String| {
        let (name, count) = line.rsplit_once(": ").expect(line);
        (name.to_owned(), count.trim_end_matches(" nodes").parse::<u64>().expect(line))
    };
    assert!(positions.len() > 4 && positions.iter().all(|line| !line.ends_with("nodes")), "{positions:?}");
    assert_eq!(positions.iter().map(|line| count(line).1).sum::<u64>(), total);
    assert!(games.iter().all(|line| line.ends_with(" nodes")), "{games:?}");
    let games: Vec<_> = games.iter().map(count).collect();
    let names: Vec<_> = games.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["chess", "neighbours", "tucchess", "amazons"]);
    assert!(games.iter().all(|(_, nodes)| *nodes > 0), "{games:?}");
    assert_eq!(games.iter().map(|(_, nodes)| nodes).sum::<u64>(), total);
}
