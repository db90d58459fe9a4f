'use \'strict\''
