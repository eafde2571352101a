/**
 * The script of a thread that rehearses. Running from source, Node strips the types itself; a build has JavaScript beside this module. An
 * executable of one file has this module replaced: it has no other script.
 */
export const threadScript: URL | undefined = new URL(
  import.meta.url.endsWith(".ts") ? "./rehearsalThread.ts" : "./rehearsalThread.js",
  import.meta.url
)
