#!/usr/bin/env node
import { launch } from '../dist/launch.cjs'

launch('contract-broker')
