#!/bin/sh
echo "Hello, $name" > /tmp/greeting
