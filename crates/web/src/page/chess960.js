// The start positions of Chess960 by their numbers, 0 to 959, as they were given by R. Scharnagl.

// Where the knights stand among the five squares that are left for them.
const KNIGHTS = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];

export const COUNT = 960;

// The FEN of a number. 518 is that of chess.
export function startPosition(number) {
  const files = Array(8).fill("");
  const free = () => files.flatMap((piece, file) => (piece ? [] : [file]));
  const take = base => {
    const rest = number % base;
    number = Math.floor(number / base);
    return rest;
  };
  files[2 * take(4) + 1] = "b";
  files[2 * take(4)] = "b";
  files[free()[take(6)]] = "q";
  const left = free();
  for (const index of KNIGHTS[number]) files[left[index]] = "n";
  free().forEach((file, index) => (files[file] = "rkr"[index]));
  const rank = files.join("");
  return `${rank}/pppppppp/8/8/8/8/PPPPPPPP/${rank.toUpperCase()} w KQkq - 0 1`;
}
