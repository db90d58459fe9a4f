#![cfg_attr(fuzzing, no_main)]

ses_executor_fuzz::target!(ses_executor_fuzz::journals::check);
