(variable_declarator name: (identifier) @name value: (call_expression function: (_) @of) (#match? @of "^(React\\.)?(memo|forwardRef)$")) @function
