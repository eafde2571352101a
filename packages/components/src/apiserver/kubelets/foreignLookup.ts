import { type LookupAddress, type LookupOptions, lookup } from "node:dns"
import { ADDRESS_NOT_ALLOWED, isProxyable } from "@rollcall/api-server/http"

type Found = (error: Error | null, address: string | Array<LookupAddress>, family?: number) => void

/**
 * Looks a name up, and fails if one of its addresses is of this machine: a Node may have any name. The connection is to
 * what was looked up. Upstream: pkg/registry/core/node/strategy.go, isProxyableHostname.
 */
export const foreignLookup = (name: string, options: LookupOptions, found: Found): void => {
  lookup(name, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return found(error, "")
    const [first] = addresses
    if (first === undefined || !addresses.every(({ address }) => isProxyable(address))) {
      return found(new Error(ADDRESS_NOT_ALLOWED), "")
    }
    if (options.all === true) found(null, addresses)
    else found(null, first.address, first.family)
  })
}
