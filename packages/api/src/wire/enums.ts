const numbered = (name: string, sign: string, last: number) =>
  Array.from({ length: last }, (_, index) => `${name}${sign}${index + 1}`)

const signalNames = (): ReadonlyArray<string> =>
  [
    ..."ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP"
      .split(" ")
      .concat("TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMAX RTMIN".split(" ")),
    ...numbered("RTMAX", "-", 14),
    ...numbered("RTMIN", "+", 15)
  ]
    .map((signal) => `SIG${signal}`)
    .sort()

/** Enumerations that are too long for a line of a table. */
export const namedEnums: Readonly<Record<string, () => ReadonlyArray<string>>> = { Signal: signalNames }
