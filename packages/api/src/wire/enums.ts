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

/** Upstream: staging/src/k8s.io/api/certificates/v1/types.go. */
const keyUsages = (): ReadonlyArray<string> => [
  ..."any,cert sign,client auth,code signing,content commitment,crl sign,data encipherment,decipher only".split(","),
  ..."digital signature,email protection,encipher only,ipsec end system,ipsec tunnel,ipsec user".split(","),
  ..."key agreement,key encipherment,microsoft sgc,netscape sgc,ocsp signing,s/mime,server auth,signing".split(","),
  "timestamping"
]

/** Enumerations that are too long for a line of a table. */
export const namedEnums: Readonly<Record<string, () => ReadonlyArray<string>>> = {
  KeyUsage: keyUsages,
  Signal: signalNames
}
