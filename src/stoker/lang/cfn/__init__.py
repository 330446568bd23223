"""Templates in CloudFormation's formats."""
