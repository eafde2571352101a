/**
 * The thread's script. Running from source, Node strips the types itself; a build has JavaScript beside this module. An executable of one file
 * has this module replaced by one with the script in it.
 */
export const workerScript = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url)
