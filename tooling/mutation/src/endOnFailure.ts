import * as fc from "fast-check"

// A property that fails has noticed the mutant: a smaller example of it is of no use.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })
