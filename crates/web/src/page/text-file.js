// Reads text files of the user as the program itself does (`labrys_support::text`).

// The encodings of byte order marks.
const MARKS = [["utf-8", [0xef, 0xbb, 0xbf]], ["utf-16le", [0xff, 0xfe]], ["utf-16be", [0xfe, 0xff]]];

const LINE_FEED = 10;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const windows1252 = new TextDecoder("windows-1252");

// Calls `otherwise` if bytes are no valid UTF-8.
function decodeOr(otherwise, bytes) {
  try {
    return utf8.decode(bytes);
  } catch {
    return otherwise(bytes);
  }
}

// A text of lines, each UTF-8, or Windows-1252 where it is no valid UTF-8.
function decodeLines(bytes) {
  const lines = [];
  for (let [start, end] = [0, 0]; start < bytes.length; start = end) {
    end = bytes.indexOf(LINE_FEED, start) + 1 || bytes.length;
    lines.push(decodeOr(line => windows1252.decode(line), bytes.subarray(start, end)));
  }
  return lines.join("");
}

// The text of a file, with LF as line ends. The file may have been moved or changed since it was chosen: then
// the error says so.
export async function readText(file) {
  const content = await file.arrayBuffer().catch(({ message }) => {
    throw new Error(`${file.name} cannot be read: ${message}`);
  });
  const bytes = new Uint8Array(content);
  const [encoding] = MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte)) ?? [];
  const text = encoding ? new TextDecoder(encoding).decode(bytes) : decodeOr(decodeLines, bytes);
  return text.replace(/\r\n?/g, "\n");
}
