const LONGEST = 1024;

/** Cuts foreign text for a log line or a message: at most 1,024 characters, and the number of omitted ones. */
export function excerpt(text: string, longest = LONGEST): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest).toWellFormed()}… (${text.length - longest} more characters)`;
}
