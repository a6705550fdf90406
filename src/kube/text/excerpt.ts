const LONGEST = 1024;

/** Text of others for a log line or a message: at most 1,024 characters of it, and how many were left out. */
export function excerpt(text: string, longest = LONGEST): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest).toWellFormed()}… (${text.length - longest} more characters)`;
}
