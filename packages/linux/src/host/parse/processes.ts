/** The number of processes and threads: the number after the slash in /proc/loadavg. */
export const parseRunning = (loadavg: string): number | undefined => {
  const running = /^\S+ \S+ \S+ \d+\/(\d+)/.exec(loadavg)?.[1]
  return running === undefined ? undefined : Number(running)
}
