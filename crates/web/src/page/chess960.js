// The start positions of Chess960 by their Scharnagl numbers, 0 to 959.

// The squares of the knights among the five that are left.
const KNIGHTS = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];

export const COUNT = 960;

// The FEN of a number; 518 is the standard position.
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
