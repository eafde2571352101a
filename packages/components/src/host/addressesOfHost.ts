import { networkInterfaces } from "node:os"

/** Returns the addresses of this machine's network interfaces, without loopback and link-local ones. */
export const addressesOfHost = (): ReadonlyArray<string> =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ address, internal }) => !internal && !/^(fe80:|169\.254\.)/i.test(address))
    .map(({ address }) => address)
