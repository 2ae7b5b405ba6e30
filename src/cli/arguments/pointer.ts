const DRIVE = /^[A-Za-z]:[\\/]/;

/** The hint for a pointer that Git Bash has made a path of Windows: `/theme` comes as `C:/Program Files/Git/theme`. */
export function rewrittenPointerHint(text: string): string | undefined {
  if (!DRIVE.test(text)) return undefined;
  return 'Git Bash makes a path of it: set MSYS_NO_PATHCONV=1';
}
