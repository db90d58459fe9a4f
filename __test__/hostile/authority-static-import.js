// attack: a static import of a module of Node.js
// outcome: ERR_IMPORT_NOT_ALLOWED
// state: READY
// details: {"module":"node:fs"}
import { readFileSync } from 'node:fs';
console.log(readFileSync('/etc/passwd', 'utf8'));
