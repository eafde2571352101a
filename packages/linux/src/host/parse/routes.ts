import { formatIP, parseIP } from "@rollcall/api/validation"

/** A default route: to everywhere that no other route covers. */
export interface DefaultRoute {
  readonly interface: string
  readonly gateway: string
  readonly family: 4 | 6
}

/** An address in /proc/net/route: eight hexadecimal digits, last octet first. */
const ipv4Of = (hex: string): string => [6, 4, 2, 0].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(".")

const ipv6Of = (hex: string): string => {
  const address = parseIP((hex.match(/.{4}/g) ?? []).join(":"))
  return address === undefined ? "" : formatIP(address)
}

const isHex = (text: string | undefined, digits: number): text is string =>
  text !== undefined && text.length === digits && /^[0-9a-fA-F]+$/.test(text)

/** The default routes in /proc/net/route. Upstream: apimachinery/pkg/util/net/interface.go getIPv4DefaultRoutes. */
export const parseIPv4DefaultRoutes = (text: string): ReadonlyArray<DefaultRoute> =>
  text.split("\n").flatMap((line): ReadonlyArray<DefaultRoute> => {
    const [name, destination, gateway] = line.trim().split(/\s+/)
    if (name === undefined || !isHex(destination, 8) || !isHex(gateway, 8) || !/^0+$/.test(destination)) return []
    return [{ interface: name, gateway: ipv4Of(gateway), family: 4 }]
  })

/**
 * The default routes in /proc/net/ipv6_route; one without a gateway is the loopback's. Upstream: getIPv6DefaultRoutes.
 */
export const parseIPv6DefaultRoutes = (text: string): ReadonlyArray<DefaultRoute> =>
  text.split("\n").flatMap((line): ReadonlyArray<DefaultRoute> => {
    const fields = line.trim().split(/\s+/)
    const [destination, , , , gateway] = fields
    const name = fields[9]
    if (name === undefined || !isHex(destination, 32) || !isHex(gateway, 32)) return []
    if (!/^0+$/.test(destination) || /^0+$/.test(gateway)) return []
    return [{ interface: name, gateway: ipv6Of(gateway), family: 6 }]
  })
